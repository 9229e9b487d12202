import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectCitations, type Source } from './collect-citations.js';

const A = 'https://a.example/';
const B = 'https://b.example/';

describe('collectCitations', () => {
  it('returns no positions if every source is its own citation', () => {
    expect(collectCitations([{ url: A }, { url: B }]).positions).toBeNull();
    expect(collectCitations([]).positions).toBeNull();
  });

  it('numbers sources by their position unless they have an id', () => {
    const { positions } = collectCitations([{ url: A }, { url: B, id: 'b7' }, { url: 'https://c.example/' }]);
    expect([...(positions ?? [])]).toEqual([
      ['1', 1],
      ['b7', 2],
      ['3', 3],
    ]);
  });

  it('lists a url once, under all its ids, with the first title and snippet given', () => {
    const { citations, positions } = collectCitations([
      { url: A, id: 4, title: ' ', snippet: null },
      { url: B, id: 5, title: 'B' },
      { url: ` ${A} `, id: 6, title: 'A &amp; more', snippet: 'one\ntwo' },
      { url: A, id: 7, title: 'Another A', snippet: 'three' },
    ]);
    expect(citations).toEqual([
      { url: A, title: 'A & more', snippet: 'one two' },
      { url: B, title: 'B' },
    ]);
    expect([...(positions ?? [])]).toEqual([
      ['4', 1],
      ['5', 2],
      ['6', 1],
      ['7', 1],
    ]);
  });

  it('keeps the first meaning of a repeated id', () => {
    const { citations, positions } = collectCitations([
      { url: A, id: 1 },
      { url: B, id: 1 },
    ]);
    expect(citations).toHaveLength(2);
    expect([...(positions ?? [])]).toEqual([['1', 1]]);
  });

  it('drops sources without a url, whose position still counts', () => {
    const { citations, positions } = collectCitations([{ url: null, title: 'x' }, { url: ' ' }, {}, { url: A }]);
    expect(citations).toEqual([{ url: A }]);
    expect([...(positions ?? [])]).toEqual([
      ['4', 1],
      ['1', 0],
      ['2', 0],
      ['3', 0],
    ]);
  });

  it('keeps the number of a citation if a source without a url has the same number', () => {
    const { positions } = collectCitations([{}, { url: A, id: 1 }]);
    expect([...(positions ?? [])]).toEqual([['1', 1]]);
  });

  it('gives no number to a source whose id is null', () => {
    expect(collectCitations([{ url: A, id: null }]).positions?.size).toBe(0);
  });

  it('keeps the first 1,000 urls, with additions of later sources, and gives no number to other urls', () => {
    const sources = Array.from({ length: 1_200 }, (_, index) => ({ url: `https://${index}.example/` }));
    const { citations, positions } = collectCitations([...sources, { url: 'https://0.example/', title: 'Zero' }]);
    expect(citations).toHaveLength(1_000);
    expect(citations[0]).toEqual({ url: 'https://0.example/', title: 'Zero' });
    expect(positions?.get('1000')).toBe(1_000);
    expect(positions?.get('1001')).toBe(0);
  });

  it('loses no url, repeats none, and points into the list, for any sources', () => {
    const source: fc.Arbitrary<Source> = fc.record(
      {
        id: fc.option(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.string()), { nil: null }),
        url: fc.option(fc.constantFrom(A, B, 'https://c.example/', 'ftp://d', ''), { nil: null }),
        title: fc.option(fc.string(), { nil: null }),
        snippet: fc.option(fc.string(), { nil: undefined }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(source), (sources) => {
        const { citations, positions } = collectCitations(sources);
        const urls = citations.map(({ url }) => url);
        expect(urls).toEqual([...new Set(sources.map(({ url }) => url).filter(Boolean))]);
        const outside = [...(positions?.values() ?? [])].filter((position) => position < 0 || position > urls.length);
        expect(outside).toEqual([]);
      }),
    );
  });
});
