import { describe, expect, it } from 'vitest';
import type { PriceRow } from '../../packages/core/src/catalog/model-entry.js';
import type { Provider } from '../../packages/core/src/provider-kit/provider.js';
import { reportCatalog } from './catalog-report.js';
import { answerFacts, type PriceFact, shippedPriceFacts } from './price-facts.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const flat = (request: string, row: Partial<PriceRow> = {}): PriceRow =>
  ({
    kind: 'flat',
    request,
    source: 'https://example.org/prices',
    asOf: '2026-11-20',
    confidence: 'high',
    ...row,
  }) as PriceRow;

function factsOf(prices: Readonly<Record<string, readonly PriceRow[]>>): PriceFact[] {
  const models = Object.entries(prices).map(([slug, rows]) => ({
    slug,
    name: slug,
    description: slug,
    prices: rows,
    features: ['citations'],
    contextLength: null,
    timeoutMs: 1_000,
  }));
  const answer: Provider['answer'] = { answer: () => Promise.reject(new Error('no provider is asked')) };
  return answerFacts([{ id: 'mini', name: 'Mini', models, answer }]);
}

describe('reportCatalog', () => {
  it('finds prices read more than 90 days ago, the oldest first', () => {
    const { stale, text } = reportCatalog(
      factsOf({
        'mini/ninety': [flat('1', { asOf: '2026-08-23' })],
        'mini/ninety-one': [flat('0.1', { asOf: '2026-08-22' })],
        'mini/ancient': [flat('0.02', { asOf: '2025-11-21', confidence: 'low' })],
      }),
      NOW,
    );
    expect(stale.map(({ slug }) => slug)).toEqual(['mini/ancient', 'mini/ninety-one']);
    expect(text).toBe(`Older than 90 days:
model            price  as of       days  confidence  source
mini/ancient     0.02   2025-11-21  365   low         https://example.org/prices
mini/ninety-one  0.1    2026-08-22  91    high        https://example.org/prices

2026-11-21: 3 prices of 3 models: 2 older than 90 days, 0 scheduled to change.`);
  });

  it('does not ask to look up a price again that holds no more', () => {
    const old = { asOf: '2026-01-01' };
    const rows = [flat('1', old), flat('2', { validFrom: '2026-11-01' })];
    expect(reportCatalog(factsOf({ 'mini/a': rows }), NOW).stale).toEqual([]);
    expect(reportCatalog(factsOf({ 'mini/a': rows }), Date.parse('2026-10-31')).stale).toHaveLength(1);
  });

  it('finds scheduled prices with what they replace, the next first', () => {
    const { scheduled, text } = reportCatalog(
      factsOf({
        'mini/a': [flat('1'), flat('2', { validFrom: '2027-01-01' }), flat('3', { validFrom: '2027-02-01' })],
        'mini/b': [flat('0.5', {}), flat('0.4', { validFrom: '2026-11-22' })],
        'mini/c': [flat('0.5', {}), flat('0.4', { validFrom: '2026-11-21' })],
      }),
      NOW,
    );
    expect(scheduled.map(({ slug, price, before }) => [slug, price, before])).toEqual([
      ['mini/b', '0.4', '0.5'],
      ['mini/a', '2', '1'],
      ['mini/a', '3', '2'],
    ]);
    expect(text).toContain(
      'Scheduled price changes:\nmodel   from        price  instead of  source\nmini/b  2026-11-22',
    );
    expect(text).toContain('7 prices of 3 models: 0 older than 90 days, 3 scheduled to change.');
  });

  it('writes a dynamic price as a range', () => {
    const row = {
      kind: 'dynamic',
      typical: '0.01',
      ceiling: '0.2',
      source: 's',
      asOf: '2026-01-01',
      confidence: 'low',
    } as const;
    expect(reportCatalog(factsOf({ 'mini/a': [row] }), NOW).text).toContain('mini/a  0.01 to 0.2  2026-01-01');
  });

  it('looks at every model that is listed or can be called', () => {
    const slugs = shippedPriceFacts().map(({ slug }) => slug);
    expect(slugs).toEqual(expect.arrayContaining(['exa/answer', 'exa/neural', 'perplexity/sonar']));
  });
});
