import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecentIds } from './memory-state.js';

describe('createRecentIds', () => {
  it('keeps ids up to its capacity, and returns the dropped ids, oldest first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(100), (capacity, count) => {
        const recent = createRecentIds(capacity);
        const ids = Array.from({ length: count }, (_, index) => `id-${index}`);
        const forgotten = ids.map((id) => recent.add(id)).filter((id) => id !== undefined);
        expect(forgotten).toEqual(ids.slice(0, Math.max(0, count - capacity)));
      }),
    );
  });
});
