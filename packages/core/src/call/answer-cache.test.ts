import { createFakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUsd } from '../base/money.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import type { AnswerPlan } from './answer.js';
import { createAnswerCache, readKept, writeKept } from './answer-cache.js';
import { type AnswerStore, type CacheOptions, cacheSchema } from './cache-options.js';

const ANSWER = {
  model: 'exa/answer',
  provider: 'exa',
  value: { text: 'Open.', citations: [{ url: 'https://example.org', title: null }] },
  beforeMarkup: 5n,
};
const CALL = new QuestionCall({ query: 'When?', includeCitations: true }, null);
const PLAN = {
  request: { apiKey: { organizationId: 'acme' }, call: CALL },
  route: { candidates: [{ provider: 'exa', model: { slug: 'exa/answer' } }] },
} as unknown as AnswerPlan;

/** A cache over the store of a test. */
function start(own: Partial<AnswerStore> = {}, options: Partial<CacheOptions> = {}) {
  const clock = createFakeClock(1_000_000);
  const time = { setBackMs: 0 };
  const shown = { ...clock, now: () => clock.now() - time.setBackMs };
  const texts = new Map<string, string>();
  const kept: [string, number][] = [];
  const logged: unknown[] = [];
  const store: AnswerStore = {
    get: (name) => Promise.resolve(texts.get(name)),
    set(name, text, ttlMs) {
      texts.set(name, text);
      kept.push([name, ttlMs]);
      return Promise.resolve();
    },
    ...own,
  };
  const config = cacheSchema.parse({ ttlMs: 10_000, store, ...options });
  const logger = { warn: (...line: unknown[]) => void logged.push(line[1]), error: () => undefined };
  const cache = createAnswerCache({ config, clock: shown, logger, markupOf: () => 1_000_000_000n });
  return { cache, clock, time, texts, kept, logged };
}

function manyCitations(count: number) {
  return Array.from({ length: count }, () => ({ url: 'https://example.org' }));
}

describe('answers in a store', () => {
  it('are stored under the organization, for a limited time', async () => {
    const { cache, kept } = start();
    expect(await cache.keep('abc', PLAN, ANSWER)).toBe(true);
    expect(kept).toEqual([['searchgate:answer:3:acme:abc', 10_000]]);
    expect(await cache.find('abc', PLAN)).toMatchObject({ cost: 5n, ageMs: 0, leftMs: 10_000, kept: ANSWER });
    expect(await cache.find('abd', PLAN)).toBeNull();
  });

  it('expire by the gateway’s clock, even if the store keeps them or the clock was set back', async () => {
    const { cache, clock, time } = start();
    await cache.keep('abc', PLAN, ANSWER);
    await clock.advance(9_999);
    expect(await cache.find('abc', PLAN)).toMatchObject({ ageMs: 9_999, leftMs: 1 });
    await clock.advance(1);
    expect(await cache.find('abc', PLAN)).toBeNull();
    time.setBackMs = 13_000;
    expect(await cache.find('abc', PLAN)).toMatchObject({ ageMs: 0, leftMs: 10_000 });
    time.setBackMs = 20_000;
    expect(await cache.find('abc', PLAN)).toBeNull();
  });

  it('of a model that may not answer the call are not served', async () => {
    const { cache } = start();
    await cache.keep('abc', PLAN, { ...ANSWER, model: 'you/answer' });
    expect(await cache.find('abc', PLAN)).toBeNull();
  });

  it('of another provider than the model’s are not served', async () => {
    const { cache } = start();
    await cache.keep('abc', PLAN, { ...ANSWER, provider: 'you' });
    expect(await cache.find('abc', PLAN)).toBeNull();
  });

  const { value } = ANSWER;
  const written = (change: object) => writeKept({ ...ANSWER, keptAtMs: 1_000_000, ...change }, CALL);
  it.each([
    ['no JSON', 'x'],
    ['half an answer', written({}).slice(0, -9)],
    ['no text', 7 as unknown as string],
    ['no object', 'null'],
    ['no answer', '{}'],
    ['an amount below zero', written({ beforeMarkup: -5n })],
    ['more than a call can cost', written({ beforeMarkup: parseUsd('10000') + 1n })],
    ['more than a ledger can hold', written({ beforeMarkup: 10n ** 19n - 1n })],
    ['an answer without words', written({ value: { ...value, text: '' } })],
    ['a longer text than any answer has', written({ value: { ...value, text: 'a'.repeat(1_500_001) } })],
    ['no findings', written({ value: { ...value, grounding: {} } })],
    ['more citations than any answer has', written({ value: { ...value, citations: manyCitations(1_001) } })],
    ['an impossible time', written({ keptAtMs: 1e300 })],
  ])('count as missing when the store has %s, and are replaced by the next answer', async (_what, text) => {
    const { cache, logged, texts } = start();
    texts.set('searchgate:answer:3:acme:abc', text);
    expect(await cache.find('abc', PLAN)).toBeNull();
    expect(logged).toEqual(['the store of answers gave back what is no answer']);
    expect(await cache.keep('abc', PLAN, ANSWER)).toBe(true);
    expect(await cache.find('abc', PLAN)).toMatchObject({ kept: ANSWER });
  });

  it.each<[unknown, boolean]>([
    [false, false],
    [true, true],
    ['OK', true],
    [null, true],
    [undefined, true],
  ])('for which the store returns %j count as kept: %s', async (said, isKept) => {
    const { cache, logged } = start({ set: () => Promise.resolve(said) });
    expect(await cache.keep('abc', PLAN, ANSWER)).toBe(isKept);
    expect(logged).toEqual([]);
  });

  const down = new Error('down');
  it.each<[string, () => Promise<never>]>([
    ['rejects', () => Promise.reject(down)],
    [
      'throws',
      () => {
        throw down;
      },
    ],
    ['never answers', () => new Promise(() => undefined)],
  ])('are neither found nor kept, in bounded time, when the store %s', async (_how, fail) => {
    const { cache, clock, logged } = start({ get: fail, set: fail });
    const [finding, keeping] = [cache.find('abc', PLAN), cache.keep('abc', PLAN, ANSWER)];
    await clock.advance(250);
    expect([await finding, await keeping]).toEqual(['failed', false]);
    expect(logged).toHaveLength(2);
  });

  it('come back as they were written', () => {
    const text = fc.string({ unit: 'grapheme' });
    const citation = fc.record({ url: text, title: fc.option(text), snippet: text }, { requiredKeys: ['url'] });
    const count = fc.nat(100_000);
    const grounding = fc.record({ sentences: count, supported: count, unsupported: count, removed: count });
    const fields = { text: fc.string({ unit: 'grapheme', minLength: 1 }), citations: fc.array(citation), grounding };
    const kept = fc.record({
      model: text,
      provider: text,
      value: fc.record(fields, { requiredKeys: ['text', 'citations'] }),
      beforeMarkup: fc.bigInt(0n, parseUsd('10000')),
      keptAtMs: fc.nat(),
    });
    fc.assert(
      fc.property(kept, (answer) => {
        expect(readKept(writeKept(answer, CALL), CALL)).toEqual(answer);
      }),
    );
  });
});
