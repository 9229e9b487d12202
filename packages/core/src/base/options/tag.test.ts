import { expect, it } from 'vitest';
import { isTag, TAG_PATTERN } from './tag.js';

it('every tag matches the pattern of the document', () => {
  const pattern = new RegExp(TAG_PATTERN, 'u');
  const flag = '\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}';
  let tags = 0;
  for (let code = 0; code < 0x3_0000; code += 1) {
    const character = String.fromCodePoint(code);
    for (const text of [character, `${flag}${character}${flag}`]) {
      if (!isTag(text)) continue;
      tags += 1;
      if (!pattern.test(text)) expect(text).toMatch(pattern);
    }
  }
  expect(tags).toBeGreaterThan(200_000);
});
