import { describe, expect, it } from 'vitest';
import { JoinedText } from './joined-text.js';

describe('JoinedText', () => {
  it('is its parts in their order, however many came before it was read', () => {
    for (const count of [0, 1, 31, 32, 33, 64, 200]) {
      const text = new JoinedText();
      const parts = Array.from({ length: count }, (_, index) => `${index},`);
      for (const part of parts) text.add(part);
      expect(text.toString()).toBe(parts.join(''));
    }
  });

  it('goes on after it was read', () => {
    const text = new JoinedText();
    text.add('a');
    expect(text.toString()).toBe('a');
    text.add('b');
    expect(text.toString()).toBe('ab');
  });
});
