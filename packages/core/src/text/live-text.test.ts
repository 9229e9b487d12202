import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveText } from './live-text.js';
import { normalizeMarkers, renumberMarkers, stripMarkers } from './markers.js';
import { MAX_BRACKETS } from './reply-limits.js';

const NUMBERS = new Map([
  ['1', 2],
  ['2', 1],
  ['3', 0],
  ['0', 3],
]);
const REWRITERS: readonly (readonly [string, (text: string) => string])[] = [
  ['normalizes', (text) => normalizeMarkers(text, 3)],
  ['renumbers', (text) => renumberMarkers(text, NUMBERS)],
  ['strips', (text) => stripMarkers(text, 5)],
];

/** What comes of a text in these parts, and what is held back at its end. */
function live(parts: readonly string[], rewrite: (text: string) => string): string {
  let given = '';
  const text = createLiveText(rewrite, (part) => {
    given += part;
  });
  for (const part of parts) text.push(part);
  return given;
}

const partsOf = (text: string, length: number) => text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];

const PIECES = [
  'word',
  ' ',
  '.',
  ', ',
  '\n',
  '\n\n',
  '  ',
  '[1]',
  '[2]',
  '[9]',
  '[1, 2]',
  '[1-3]',
  '[[1]]',
  '[[2]](https://x.example/a_(b))',
  '[^1]',
  '【1†source】',
  '[0, 1]',
  '[2026]',
  '[a](https://x.example "t (1)")',
  '[1](https://x.example/)',
  '[',
  ']',
  '[[',
  '(',
  ')',
  '{',
  '\\',
  '`',
  '``',
  '```',
  '```js\n',
  '\n```\n',
  '~~~',
  '\n~~~\n',
  '`list[1]`',
  '- ',
  '1. ',
  ': ',
  ':',
  'é',
  '😀',
  '"',
  '](',
  '[9]:',
  '[9]8]',
  '\\[1]',
  'a',
  '1',
]; // prettier-ignore
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));

describe('a text that comes in parts', () => {
  it.each(REWRITERS)('%s its markers as a whole text, however it is cut', (_what, rewrite) => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (text, length) => {
        const whole = rewrite(text).trim();
        expect(whole.slice(0, live(partsOf(text, length), rewrite).length)).toBe(live(partsOf(text, length), rewrite));
      }),
      { numRuns: 3_000 },
    );
  });

  it('hands over what follows a link as soon as the link has ended', () => {
    const text = 'See [a](https://a.example/b_(c)) and more';
    expect(live([text], (part) => normalizeMarkers(part, 1))).toBe(text);
  });

  it('is given out word by word, markers included', () => {
    const given: string[] = [];
    const text = createLiveText(
      (part) => normalizeMarkers(part, 3),
      (part) => given.push(part),
    );
    for (const part of ['The', ' bridge', ' opened', ' [', '1', ', 2]', '.', ' It', ' is', ' long [7]', ', too'])
      text.push(part);
    expect(given).toEqual(['The', ' bridge', ' opened', ' [1][2].', ' It', ' is', ' long', ', too']);
  });

  it('gives out at once what is decided by one part', () => {
    const given: string[] = [];
    const text = createLiveText(
      (part) => normalizeMarkers(part, 3),
      (part) => given.push(part),
    );
    text.push('So:\n```\na\n```\nor\n```\nb\n```\nby [1, 2] chance');
    expect(given).toEqual(['So:\n```\na\n```\nor\n```\nb\n```\nby [1][2] chance']);
  });

  it('is given out line by line inside of fenced code', () => {
    const given: string[] = [];
    const text = createLiveText(
      (part) => normalizeMarkers(part, 3),
      (part) => given.push(part),
    );
    for (const part of partsOf('So:\n\n```js\nlist[1]\nlist[9]\n```\nDone [9] now', 1)) text.push(part);
    expect(given.join('')).toBe('So:\n\n```js\nlist[1]\nlist[9]\n```\nDone now');
    expect(given.length).toBeGreaterThan(20);
  });

  it('is never given out in the middle of a character', () => {
    const given: string[] = [];
    const text = createLiveText(
      (part) => part,
      (part) => given.push(part),
    );
    for (const part of ['a\ud83d', '\ude00', 'b']) text.push(part);
    expect(given).toEqual(['a', '😀', 'b']);
  });

  it('is held back once the brackets read and written are too many', () => {
    const given: string[] = [];
    const text = createLiveText(
      (part) => part,
      (part) => given.push(part),
    );
    const most = '[x] word'.repeat(MAX_BRACKETS / 4);
    for (const part of [most, ' plain', ' [x] word', ' plain']) text.push(part);
    expect(given).toEqual([most, ' plain']);
  });

  it.each([
    ['at its beginning', 'Opened', 0, 'Opened'],
    ['behind fenced code', '```\na\n```\n \\Opened', 12, '```\na\n```'],
    ['further behind fenced code', '```\na\n```\nOpened', 14, '```\na\n```\nOpened'],
  ])('goes as far as it is decided where something is put in %s', (_where, whole, place, expected) => {
    let given = '';
    const text = createLiveText(
      (part) => part,
      (part) => (given += part),
      (from, to) => from <= place && place <= to,
    );
    text.push(whole);
    expect(given).toBe(expected);
  });
});
