import { expect, it } from 'vitest';
import { isTag, TAG_PATTERN } from './tag.js';

it('every tag matches the pattern of the document', () => {
  const flag = '\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}';
  const characters = Array.from({ length: 0x3_0000 }, (_, code) => String.fromCodePoint(code));
  const tags = characters.flatMap((character) => [character, flag + character + flag]).filter(isTag);
  expect(tags.length).toBeGreaterThan(200_000);
  expect(tags.filter((tag) => !new RegExp(TAG_PATTERN, 'u').test(tag))).toEqual([]);
});
