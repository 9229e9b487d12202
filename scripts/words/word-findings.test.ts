import { describe, expect, it } from 'vitest';
import { findLongSentences, findUnwanted } from './word-findings.js';

const british = 'organisation';
const literary = 'nobody';

describe('findUnwanted', () => {
  it('finds British spellings and literary turns in any case, with their lines', () => {
    const text = `An ${british}.\nFine.\n${literary.toUpperCase()} pays the ${british}.`;
    expect(findUnwanted('a.md', text).map(({ line, found }) => [line, found])).toEqual([
      [1, british],
      [3, british],
      [3, literary.toUpperCase()],
    ]);
  });

  it('finds a phrase that goes on in the next line of a comment', () => {
    const text = `ok\n/**\n * Charged all\n * the same.\n */`;
    expect(findUnwanted('a.ts', text)).toMatchObject([{ line: 3, instead: 'a plain word, or nothing' }]);
  });

  it('accepts a name that others have given, where it is theirs', () => {
    const name = 'cancelled';
    expect(findUnwanted('packages/core/src/providers/openai/openai-errors.ts', `'${name}'`)).toEqual([]);
    expect(findUnwanted('packages/core/src/answer/attempt.ts', `'${name}'`)).toMatchObject([{ found: name }]);
  });

  it('leaves words alone that only contain one', () => {
    expect(findUnwanted('a.ts', 'const organization = realistic(greyhound);')).toEqual([]);
  });
});

describe('findLongSentences', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

  it('reports sentences over 30 words, across line ends', () => {
    const text = `# Title\n\n${words(20)}\n${words(11)}. ${words(30)}.`;
    expect(findLongSentences('a.md', text)).toEqual([{ file: 'a.md', line: 3, words: 31 }]);
  });

  it('counts a list item and a cell of a table each for itself', () => {
    expect(findLongSentences('a.md', `- ${words(20)}\n- ${words(20)}\n\n| ${words(20)} | ${words(20)} |`)).toEqual([]);
    expect(findLongSentences('a.md', `1. ${words(31)}\n\n| ${words(32)} | a |`)).toMatchObject([
      { line: 1, words: 31 },
      { line: 3, words: 32 },
    ]);
  });

  it('passes over code, headings and generated parts, and keeps the lines of what follows', () => {
    const code = `\`\`\`sh\n${words(40)}\n\`\`\``;
    const generated = `<!-- models:start -->\n| ${words(40)} |\n<!-- models:end -->`;
    expect(findLongSentences('a.md', `# ${words(40)}\n${code}\n${generated}\n${words(31)}.`)).toMatchObject([
      { line: 8, words: 31 },
    ]);
  });

  it('counts code spans and links as their text', () => {
    expect(findLongSentences('a.md', `${words(28)} \`${words(9)}\` [a](https://example.org/a).`)).toEqual([]);
  });
});
