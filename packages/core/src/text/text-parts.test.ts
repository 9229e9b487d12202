import { describe, expect, it } from 'vitest';
import { withoutParts } from './text-parts.js';

describe('withoutParts', () => {
  it('takes parts out, and says where everything else is then', () => {
    const parts = [
      { start: 0, end: 1 },
      { start: 3, end: 5 },
      { start: 5, end: 6 },
    ];
    const { text, offsetOf } = withoutParts('0123456', parts);
    expect(text).toBe('126');
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(offsetOf)).toEqual([0, 0, 1, 2, 2, 2, 2, 3]);
  });
});
