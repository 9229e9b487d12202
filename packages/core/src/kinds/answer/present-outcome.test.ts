import { describe, expect, it } from 'vitest';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { LiveAttempt } from './live-stream.js';
import { limitOutcome, presentOutcome as presentAll } from './present-outcome.js';

function presentOutcome(...given: Parameters<typeof presentAll>) {
  const { answer, citations } = presentAll(...given);
  return { answer, citations };
}

const outcome = (text: string, ...citations: AnswerOutcome['citations']): AnswerOutcome => ({
  text,
  citations,
  cost: {},
});
const page = (host: string) => ({ url: `https://${host}/page`, title: host, snippet: 'words' });

describe('presentOutcome', () => {
  it('passes text and complete citations on as they are', () => {
    expect(presentOutcome(outcome('Open [1][2].', page('a.org'), page('b.org')), true)).toEqual({
      answer: 'Open [1][2].',
      citations: [page('a.org'), page('b.org')],
    });
  });

  it('fills in a missing title with the host name and a missing snippet with nothing', () => {
    const { citations } = presentOutcome(
      outcome('x', { url: 'https://www.example.org/a?b' }, { url: 'http://b.org', title: ' ', snippet: null }),
      true,
    );
    expect(citations).toEqual([
      { title: 'www.example.org', url: 'https://www.example.org/a?b', snippet: '' },
      { title: 'b.org', url: 'http://b.org', snippet: '' },
    ]);
  });

  it('writes an address in which readers may see two hosts as browsers read it', () => {
    const { citations } = presentOutcome(
      outcome('Open [1].', { url: 'https://a.org\\@b.org/', title: 'A', snippet: '' }),
      true,
    );
    expect(citations?.[0]?.url).toBe('https://a.org/@b.org/');
  });

  it('drops urls that are not of the web, or too long, and renumbers the markers', () => {
    const long = { url: `https://c.org/${'x'.repeat(2_048)}` };
    const sources = [page('a.org'), { url: 'javascript:alert(1)' }, long, page('d.org')];
    expect(presentOutcome(outcome('One [1], two [2], three [3][4].', ...sources), true)).toEqual({
      answer: 'One [1], two, three [2].',
      citations: [page('a.org'), page('d.org')],
    });
  });

  it.each([
    'http://[bad',
    'https:///a.org',
    'data:text/html,x',
    'file:///a',
    '/a',
    '//a.org',
    'https://u:p@a.org',
    'http://a b.org',
  ])('drops a citation of %j, also of a stream', (url) => {
    const given = outcome('One [1], two [2], three [3].', page('a.org'), { url }, page('c.org'));
    const shown = { answer: 'One [1], two, three [2].', citations: [page('a.org'), page('c.org')] };
    expect(presentOutcome(given, true)).toEqual(shown);
    const parts: string[] = [];
    const attempt = new LiveAttempt({ includeCitations: true }, (citations, { text }) => {
      parts.push(text);
      expect(citations).toEqual(shown.citations);
    });
    attempt.citations(given.citations);
    for (const part of given.text.split(/(?=\[)/)) attempt.text(part);
    expect(parts.join('')).toBe(shown.answer.slice(0, parts.join('').length));
    expect(parts.join('')).toContain('two, three');
  });

  it.each([' ', '\u00a0', '\ufeff', '\u3000'])(
    'writes an address with %j as browsers do, and no empty title',
    (space) => {
      const citation = { url: `${space}https://a.org/b c`, title: '\u200b', snippet: '\u3164' };
      expect(presentOutcome(outcome('x', citation), true).citations).toEqual([
        { url: 'https://a.org/b%20c', title: 'a.org', snippet: '' },
      ]);
    },
  );

  it('leaves no dangling markers for callers who want no citations', () => {
    expect(presentOutcome(outcome('Open [1][2] since 2021 [2].', page('a.org'), page('b.org')), false)).toEqual({
      answer: 'Open since 2021.',
      citations: null,
    });
  });

  it('leaves no white space where a marker was removed from either end', () => {
    const text = '[1]\n\nOpen [2], [1] yes.\n\n[1]';
    expect(presentOutcome(outcome(text, { url: 'ftp://a.org/' }, page('b.org')), true).answer).toBe('Open [1], yes.');
    expect(presentOutcome(outcome(text, page('a.org'), page('b.org')), false).answer).toBe('Open, yes.');
  });
});

describe('the markers of an outcome', () => {
  const text = 'In list[1] of 2021[1], and so [2] and [9].';
  const pages = [page('a.org'), { url: 'ftp://b.org' }];

  it('are at the reported places', () => {
    const markers = [
      { start: 18, end: 21, position: 1 },
      { start: 30, end: 33, position: 2 },
    ];
    const marked = { ...outcome(text, ...pages), markers };
    expect(presentOutcome(marked, false).answer).toBe('In list[1] of 2021, and so and [9].');
    expect(presentOutcome(marked, true).answer).toBe('In list[1] of 2021[1], and so and [9].');
  });

  it.each([
    ['it does not say', undefined],
    ['they are not there', [{ start: 17, end: 20, position: 1 }]],
    [
      'they are in another order',
      [
        { start: 30, end: 33, position: 2 },
        { start: 18, end: 21, position: 1 },
      ],
    ],
  ])('are the numbers that stand alone when %s', (_why, markers) => {
    expect(presentOutcome({ ...outcome(text, ...pages), markers }, false).answer).toBe(
      'In list[1] of 2021[1], and so and [9].',
    );
  });
});

describe('limitOutcome', () => {
  it('leaves an outcome within the bounds as it is', () => {
    const most = outcome('Open [1].', ...Array.from({ length: 1_000 }, (_, index) => page(`${index}.example`)));
    expect(limitOutcome(most)).toBe(most);
  });

  it('keeps the first 1,000 citations of an outcome', () => {
    const citations = Array.from({ length: 1_001 }, (_, index) => ({ url: `https://${index}.example/` }));
    expect(limitOutcome({ text: 'So [999].', citations, cost: {} })).toEqual({
      text: 'So [999].',
      citations: citations.slice(0, 1_000),
      cost: {},
    });
  });

  it('has U+FFFD for characters that JSON readers refuse', () => {
    const { text, citations } = limitOutcome(
      outcome('A\ud83c b\0.', { url: 'https://a.org/\udf09', title: '\0', snippet: '\ud83c' }, page('b.org')),
    );
    expect(text).toBe('A\ufffd b\ufffd.');
    expect(citations).toEqual([{ url: 'https://a.org/\ufffd', title: '\ufffd', snippet: '\ufffd' }, page('b.org')]);
  });
});
