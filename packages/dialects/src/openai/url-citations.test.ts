import { describe, expect, it } from 'vitest';
import { urlCitations } from './url-citations.js';

const citations = [
  { url: 'https://example.org/zephyr', title: 'Zephyr Bridge opens', snippet: '' },
  { url: 'https://news.example.com/', title: 'News', snippet: '' },
];
const ANSWER = 'It opened [1] in May 2021 [1][2].';

/** The content with its annotated ranges in braces, and the sources in order. */
function shown(content: string, answer = ANSWER) {
  const ranges = urlCitations(content, { answer, citations });
  const text = ranges.reduceRight(
    (rest, { start_index, end_index }) =>
      `${rest.slice(0, start_index)}{${rest.slice(start_index, end_index)}}${rest.slice(end_index)}`,
    content,
  );
  return [text, ranges.map(({ title }) => title)];
}

const TITLES = ['Zephyr Bridge opens', 'Zephyr Bridge opens', 'News'];

describe('urlCitations', () => {
  it('has the range and the source of each marker', () => {
    expect(shown(ANSWER)).toEqual(['It opened {[1]} in May 2021 {[1]}{[2]}.', TITLES]);
    expect(urlCitations('A [2].', { answer: 'A [2].', citations })).toEqual([
      { start_index: 2, end_index: 5, url: 'https://news.example.com/', title: 'News' },
    ]);
  });

  it('counts UTF-16 code units, as JavaScript does', () => {
    expect(shown('🌉 opened [1].', '🌉 opened [1].')).toEqual(['🌉 opened {[1]}.', ['Zephyr Bridge opens']]);
  });

  it('gives markers that were not streamed an empty range at their place', () => {
    expect(shown('It opened in May 2021.')).toEqual(['It opened {}in May 2021{}{}.', TITLES]);
    expect(shown('It opened [1] in May 2021.')).toEqual(['It opened {[1]} in May 2021{}{}.', TITLES]);
  });

  it('finds the places of markers in a content with spaces more and fewer', () => {
    expect(shown('It opened  in May 2021 .')).toEqual(['It opened {} in May 2021 {}{}.', TITLES]);
  });

  it('is empty without markers', () => {
    expect(urlCitations('None.', { answer: 'None.', citations })).toEqual([]);
  });

  it('leaves out later annotations where a long address would make them far longer than the answer', () => {
    const answer = '[1] '.repeat(5_000);
    const url = `https://example.org/${'x'.repeat(100_000)}`;
    const annotations = urlCitations(answer, { answer, citations: [{ url, title: 'Long', snippet: '' }] });
    expect(annotations).toHaveLength(9);
  });
});
