import { describe, expect, it } from 'vitest';
import type { CallableModel } from '../../catalog/catalog.js';
import { ownMarkers } from '../../text/own-markers.js';
import type { AnswerCitation, AnswerListener } from './answer-listener.js';
import { LiveStream } from './live-stream.js';
import { presentOutcome } from './present-outcome.js';

const SERVED = { model: { slug: 'exa/answer' }, provider: 'exa' } as unknown as CallableModel;
const HEAD = { model: 'exa/answer', provider: 'exa' };
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://example.org/${index + 1}`,
    title: `Page ${index + 1}`,
  }));
const shown = (count: number) => pages(count).map((page) => ({ ...page, snippet: '' }));

/** A whole answer. */
const whole = (text: string, citations: readonly AnswerCitation[]) => ({
  text,
  citations,
  markers: ownMarkers(text, citations.length, false),
});

/** One answer, and the parts its caller has received. */
function start(includeCitations = true) {
  const told: unknown[][] = [];
  const mismatches: string[] = [];
  const listener: AnswerListener = {
    start: (head) => void told.push(['start', head]),
    citations: (citations) => void told.push(['citations', citations.length]),
    delta: (text) => void told.push(['delta', text]),
  };
  const stream = new LiveStream(listener, {
    id: 'ans_1',
    includeCitations,
    onMismatch: (model) => void mismatches.push(model),
  });
  const joined = () =>
    told
      .filter(([kind]) => kind === 'delta')
      .map(([, text]) => String(text))
      .join('');
  return { stream, told, mismatches, joined };
}

describe('a streamed answer', () => {
  it('begins with the first part of its text, after the citations that came before', () => {
    const { stream, told } = start();
    const attempt = stream.open(SERVED);
    attempt.citations(pages(2));
    expect(told).toEqual([]);
    expect(stream.hasStarted).toBe(false);
    attempt.text('Yes [1].');
    expect(told).toEqual([
      ['start', { id: 'ans_1', ...HEAD }],
      ['citations', 2],
      ['delta', 'Yes [1].'],
    ]);
    expect(stream.hasStarted).toBe(true);
  });

  it('is completed by the rest of the text', () => {
    const { stream, told, joined } = start();
    stream.open(SERVED).text('Yes');
    stream.finish(whole('Yes, indeed [1].', shown(1)), HEAD);
    expect(joined()).toBe('Yes, indeed [1].');
    expect(told.slice(2)).toEqual([
      ['citations', 1],
      ['delta', ', indeed [1].'],
    ]);
  });

  it('comes whole when nothing was streamed before', () => {
    const { stream, told } = start();
    stream.finish(whole('Yes.', []), HEAD);
    expect(told).toEqual([
      ['start', { id: 'ans_1', ...HEAD }],
      ['delta', 'Yes.'],
    ]);
  });

  it.each([
    ['without markers that are known late', ['Yes', ', no.'], 'Yes [1], no. Perhaps [2].', 'Yes, no. Perhaps.'],
    ['with some of its markers', ['Yes, no', ' [2] or'], 'Yes [1], no [2] or [1] not.', 'Yes, no [2] or not.'],
    ['with none after all', ['Yes.'], 'Yes.', 'Yes.'],
  ])('may come %s', (_what, parts, answer, expected) => {
    const { stream, joined, mismatches } = start();
    const attempt = stream.open(SERVED);
    attempt.citations(pages(2));
    for (const part of parts) attempt.text(part);
    stream.finish(whole(answer, shown(2)), HEAD);
    expect(joined()).toBe(expected);
    expect(mismatches).toEqual([]);
  });

  it('reports a text that is not the beginning of the answer', () => {
    const { stream, mismatches, joined } = start();
    stream.open(SERVED).text('No');
    stream.finish(whole('Yes.', []), HEAD);
    expect(mismatches).toEqual(['exa/answer']);
    expect(joined()).toBe('No');
  });

  it('has U+FFFD for half characters, but not for a character that is split between parts', () => {
    const { stream, joined, told } = start();
    const attempt = stream.open(SERVED);
    attempt.citations([{ url: 'https://example.org/1', title: 'A\ud83c' }]);
    for (const part of ['Yes \ud83c', '\udf09 and \ud83c', ' no\0', ' \ud83c']) attempt.text(part);
    stream.finish(whole('Yes 🌉 and \ufffd no\ufffd \ufffd', []), HEAD);
    expect(joined()).toBe('Yes 🌉 and \ufffd no\ufffd \ufffd');
    expect(JSON.stringify(told)).not.toMatch(/\\u(?:d|0000)/);
  });

  it('ignores an attempt that has ended', () => {
    const { stream, told } = start();
    const attempt = stream.open(SERVED);
    attempt.end();
    attempt.citations(pages(1));
    attempt.text('Late.');
    expect(told).toEqual([]);
  });

  it('shows only web pages, with markers that count them', () => {
    const { stream, joined, told } = start();
    const attempt = stream.open(SERVED);
    attempt.citations([{ url: 'ftp://example.org/' }, ...pages(1)]);
    attempt.text('No [1], yes [2].');
    expect(joined()).toBe('No, yes [1].');
    expect(told[1]).toEqual(['citations', 1]);
  });

  it('has no markers for a caller who wants no citations', () => {
    const { stream, joined, told } = start(false);
    const attempt = stream.open(SERVED);
    attempt.citations(pages(2));
    attempt.text('Yes [1');
    attempt.text('], no [2026].');
    stream.finish(whole('Yes, no [2026].', []), HEAD);
    expect(joined()).toBe('Yes, no [2026].');
    expect(told.some(([kind]) => kind === 'citations')).toBe(false);
  });

  it.each(['[1] Yes.', ' [1]\n\n[2] Yes [1], no.\n[2]\n', '[1][2]\r\nYes.', '\ufeff[1]\u00a0Yes [1]'])(
    'adds up to the answer to %j, whatever its parts',
    (text) => {
      const sources = [{ url: 'ftp://example.org/' }, ...pages(1)];
      for (const includeCitations of [true, false]) {
        const outcome = { text: text.trim(), citations: sources };
        const { answer } = presentOutcome(outcome, includeCitations);
        for (let length = 1; length <= text.length; length += 1) {
          const { stream, joined, mismatches } = start(includeCitations);
          const attempt = stream.open(SERVED);
          attempt.citations(sources);
          for (let at = 0; at < text.length; at += length) attempt.text(text.slice(at, at + length));
          stream.finish(outcome, HEAD);
          expect([joined(), mismatches]).toEqual([answer, []]);
        }
      }
    },
  );

  it('continues without a marker whose source came after the text', () => {
    const { stream, joined, mismatches } = start();
    stream.open(SERVED).text('Yes');
    stream.finish(whole('[1]\n\nYes, indeed.', shown(1)), HEAD);
    expect([joined(), mismatches]).toEqual(['Yes, indeed.', []]);
  });

  it('changes no citation that it has announced', () => {
    const lists: unknown[] = [];
    const listener: AnswerListener = {
      start: () => undefined,
      citations: (citations) => void lists.push(citations.map(({ title }) => title)),
      delta: () => undefined,
    };
    const stream = new LiveStream(listener, { id: 'ans_1', includeCitations: true, onMismatch: () => undefined });
    const attempt = stream.open(SERVED);
    attempt.citations([{ url: 'https://example.org/1' }]);
    attempt.text('Yes');
    stream.finish(whole('Yes.', shown(2)), HEAD);
    expect(lists).toEqual([['example.org'], ['example.org', 'Page 2']]);
  });

  it('sends a number of entries that is linear in a list that grows entry by entry', () => {
    const { stream, told } = start();
    const attempt = stream.open(SERVED);
    for (let count = 1; count <= 1_000; count += 1) {
      attempt.citations(pages(count));
      attempt.text(`x [${count}] y`);
    }
    stream.finish(whole('x', shown(1_000)), HEAD);
    const sent = told.filter(([kind]) => kind === 'citations').map(([, count]) => Number(count));
    expect(sent.at(-1)).toBe(1_000);
    expect(sent.reduce((sum, count) => sum + count)).toBeLessThan(10_000);
  });

  it('waits from a number on that may be a marker, until too many characters wait', () => {
    const marked = (stream: LiveStream) => {
      const attempt = stream.open(SERVED);
      return { attempt, text: (part: string) => attempt.text(part) };
    };
    const one = start(false);
    const { attempt, text } = marked(one.stream);
    text('Yes [1], no [2], [9] and.');
    expect(one.joined()).toBe('Yes');
    attempt.citations(pages(1));
    expect(one.joined()).toBe('Yes, no');
    attempt.citations(pages(2));
    one.stream.finish(whole('Yes, no, [9] and.', []), HEAD);
    expect([one.joined(), one.mismatches]).toEqual(['Yes, no, [9] and.', []]);

    const long = 'word '.repeat(30_000).trim();
    const other = start(false);
    const stuck = marked(other.stream);
    stuck.text(`Yes [1] ${long}. `);
    stuck.attempt.citations(pages(1));
    stuck.text('The end.');
    expect(other.joined()).toBe('Yes');
    other.stream.finish(whole(`Yes ${long}. The end.`, []), HEAD);
    expect([other.joined(), other.mismatches]).toEqual([`Yes ${long}. The end.`, []]);
  });

  it('stops at the longest allowed answer', () => {
    const { stream, joined } = start();
    const attempt = stream.open(SERVED);
    for (let part = 0; part < 20; part += 1) attempt.text('word '.repeat(20_000));
    expect(joined().length).toBeLessThanOrEqual(1_500_000);
  });
});
