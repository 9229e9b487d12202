import { expect, it } from 'vitest';
import { MAX_ANSWER_LENGTH, readableText } from './reply-limits.js';

it('returns an answer of the maximum length unchanged', () => {
  const longest = 'a'.repeat(MAX_ANSWER_LENGTH);
  expect(readableText(longest)).toBe(longest);
});

it.each([null, 5n])('refuses a longer answer, with the reported cost of %s', (reported) => {
  const tooLong = () => readableText('a'.repeat(MAX_ANSWER_LENGTH + 1), reported);
  const detail = 'the answer is too long';
  const expected = { reason: 'upstream_invalid_response', phase: 'shape', status: 200, cost: reported, detail };
  expect(tooLong).toThrow(expect.objectContaining(expected));
});
