import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatUsd, parseUsd } from '../base/money.js';
import { SLUG } from './catalog-member.js';
import { FEATURE_FLAGS, type FeatureFlag } from './feature-flags.js';
import { LISTED_ROWS, type ListedRow } from './listed-rows.js';
import { PER_MILLION, PER_REQUEST } from './price-reader.js';

const distinct = (words: readonly string[]) => new Set(words).size === words.length;
const decimal = (most: bigint) =>
  z.string().refine((text) => /^\d/.test(text) && formatUsd(parseUsd(text)) === text && parseUsd(text) <= most);
const count = z.int().positive();
const isoDate = z.iso.date().refine((date) => date >= '2026-01-01' && date <= '2026-11-29');

const common = {
  id: z.string().regex(SLUG),
  name: z.string().regex(/^\S.*\S$/),
  description: z.string().regex(/^[A-Z].{20,160}\.$/),
  pricing: z
    .strictObject({
      request: z.literal('-1').or(decimal(PER_REQUEST.most)).optional(),
      perMillionTokens: decimal(PER_MILLION.most).optional(),
      perResult: decimal(PER_REQUEST.most).optional(),
      includedResults: count.optional(),
      resultStep: count.optional(),
      perPage: decimal(PER_REQUEST.most).optional(),
      heldPages: count.optional(),
      perSearchUnit: decimal(PER_REQUEST.most).optional(),
    })
    .refine(({ request, perMillionTokens, perPage, perSearchUnit }) =>
      [request, perMillionTokens, perPage, perSearchUnit].some(Boolean),
    )
    .refine(({ perResult, includedResults }) => (perResult === undefined) === (includedResults === undefined)),
  features: z.array(z.enum(Object.keys(FEATURE_FLAGS) as FeatureFlag[])).refine(distinct),
  retiresOn: z.iso.date().optional(),
  replacement: z.string().regex(SLUG).optional(),
  provenance: z.strictObject({
    source: z.string().min(10),
    asOf: isoDate,
    confidence: z.enum(['high', 'medium', 'low']),
    notes: z
      .string()
      .regex(/^\S.*\.$/)
      .optional(),
  }),
};

const schemas = {
  search: z.strictObject({
    ...common,
    searchTypes: z
      .array(z.enum(['web', 'neural', 'keyword', 'auto']))
      .min(1)
      .refine(distinct),
    maxResults: count.optional(),
  }),
  embedding: z.strictObject({
    ...common,
    dimensions: count,
    leastDimensions: count.optional(),
    maxInputTokens: count.optional(),
  }),
  rerank: z.strictObject({ ...common, contextLength: count, maxInputTokens: count.optional() }),
  extract: z.strictObject(common),
};

const categories = Object.keys(schemas) as (keyof typeof schemas)[];
const rowsWithCategory = categories.flatMap((category) => LISTED_ROWS[category].map((row) => ({ ...row, category })));
const allRows: ListedRow[] = Object.values(LISTED_ROWS).flat();

it('advertise no filter by language for Tavily, whose API has none (docs.tavily.com, 2026-11-22)', () => {
  const tavily = allRows.filter(({ id }) => id.startsWith('tavily/'));
  expect(tavily.length).toBeGreaterThan(2);
  expect(tavily.filter(({ features }) => features.includes('language_filter'))).toEqual([]);
});

describe('the researched catalog', () => {
  it('holds 86 models in four categories', () => {
    const sizes = Object.fromEntries(categories.map((category) => [category, LISTED_ROWS[category].length]));
    expect(sizes).toEqual({ search: 28, embedding: 26, rerank: 20, extract: 12 });
    expect(allRows).toHaveLength(86);
  });

  it('uses each id once, whatever the category', () => {
    expect(distinct(allRows.map(({ id }) => id))).toBe(true);
  });

  it('keeps the slugs that clients know', () => {
    const ids = allRows.map(({ id }) => id);
    const named = [
      'exa/neural',
      'exa/contents',
      'serper/google',
      'jina/reader',
      'openai/text-embedding-3-small',
      'cohere/rerank-v3.5',
    ];
    expect(ids).toEqual(expect.arrayContaining(named));
  });

  it.each(rowsWithCategory)('describes $id by the rules of category $category', ({ category, ...row }) => {
    expect(schemas[category].parse(row)).toEqual(row);
  });

  it('flags exactly the rerank models that take 30,000 tokens as long context', () => {
    const flagged = LISTED_ROWS.rerank.filter(({ features }) => features.includes('long_context'));
    const long = LISTED_ROWS.rerank.filter(({ contextLength = 0 }) => contextLength >= 30_000);
    expect(flagged).toEqual(long);
  });

  it('names only public sources', () => {
    for (const { provenance } of allRows)
      expect(provenance.source).not.toMatch(/localhost|127\.0\.0\.1|registry\.|file:|\/home\//);
  });
});

describe('FEATURE_FLAGS', () => {
  it('holds the 41 flags of the vocabulary', () => {
    expect(Object.keys(FEATURE_FLAGS)).toHaveLength(41);
  });
});
