import { describe, expect, it } from 'vitest';
import { boundBrackets, bracketsEnd } from './bound-brackets.js';
import { MAX_BRACKETS } from './reply-limits.js';

const ALL = '[]【】'.repeat(MAX_BRACKETS / 4);

describe('boundBrackets', () => {
  it.each(['', ' and prose'])('keeps as many brackets as are allowed, before %j', (rest) => {
    expect(bracketsEnd(ALL + rest)).toBe((ALL + rest).length);
    expect(boundBrackets(ALL + rest)).toBe(ALL + rest);
  });

  it.each(['[', ']', '【', '】'])('removes each %s behind those, and nothing else', (bracket) => {
    const text = `${ALL} one${bracket} two${bracket}${bracket}`;
    expect(bracketsEnd(text)).toBe(ALL.length + ' one'.length);
    expect(boundBrackets(text)).toBe(`${ALL} one two`);
  });
});
