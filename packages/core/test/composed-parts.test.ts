import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import {
  createGateway,
  type GatewayEvent,
  type GatewayOptions,
  isRequestError,
  memoryApiKeys,
  memoryLedger,
} from '../src/index.js';
import {
  type AnswerAdapter,
  type ModelPart,
  type ModelRow,
  type Provider,
  UpstreamError,
} from '../src/provider-kit/index.js';
import { KEY, OUTCOME, scripted, whileAdvancing } from './scripted-gateway.js';

const PROVENANCE = { source: 'test', asOf: '2026-11-29', confidence: 'high' } as const;
const PAGE = { url: 'https://example.org/', title: 'A page', snippet: 'Open since 2021.' };
type Search = NonNullable<Provider['search']>['search'];

function row(slug: string, request: string, more: Partial<ModelRow> = {}): ModelRow {
  const about = { slug, name: slug, description: 'Does what the test says.', features: [], contextLength: null };
  return { ...about, prices: [{ kind: 'flat', request, ...PROVENANCE }], maxResults: 20, timeoutMs: 10_000, ...more };
}

function finder(id: string, search: Search, more: Partial<ModelRow> = {}): Provider {
  return { id, name: id, models: [], search: { models: [row(`${id}/find`, '0.007', more)], search } };
}

const found: Search = () => Promise.resolve({ results: [PAGE], cost: {} });
const failing: Search = () => Promise.reject(new UpstreamError('upstream_rejected', { phase: 'headers', status: 400 }));

/** Asks each search, then answers from what was found. */
const answer: AnswerAdapter['answer'] = async ({ query, model }, context) => {
  const searches = model.parts?.map(({ model: slug }) => context.run?.('search', slug, { query }) ?? []) ?? [];
  const [first = []] = await Promise.all(searches);
  const citations = first as readonly { url: string; snippet: string }[];
  if (citations.length === 0) throw new UpstreamError('no_answer_found', { phase: 'shape', status: 200 });
  return { text: 'Open since 2021 [1].', citations, cost: { usage: { inputTokens: 1_000, outputTokens: 100 } } };
};

const SEARCH: ModelPart = { kind: 'search', model: 'one/find', most: { results: 10 } };

function composed(parts: readonly ModelPart[], adapter = answer, more: Partial<Provider> = {}): Provider {
  const price = {
    kind: 'dynamic',
    perMillionInputTokens: '1',
    perMillionOutputTokens: '4',
    typical: '0.002',
    ceiling: '0.01',
    ...PROVENANCE,
  } as const;
  const model = row('ask/brief', '0', { prices: [price], parts, timeoutMs: 30_000, features: ['citations'] });
  return { id: 'ask', name: 'Ask', models: [model], answer: { answer: adapter }, ...more };
}

function open(providers: readonly Provider[], options: Partial<GatewayOptions> = {}) {
  const clock = createFakeClock(Date.UTC(2026, 10, 29));
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: { acme: '10' }, clock });
  const apiKeys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]);
  const onEvent = (event: GatewayEvent) => void events.push(event);
  const gateway = createGateway({ providers, apiKeys, ledger, clock, onEvent, ...options });
  const ask = (more: object = {}) => {
    const asking = gateway.answer({ apiKey: KEY, model: 'ask/brief', query: 'Since when?', ...more });
    return whileAdvancing(clock, asking, 100).catch((error: unknown) => (isRequestError(error) ? error.reason : error));
  };
  return { gateway, ledger, clock, ask, events };
}

describe('a model that is made of others', () => {
  it('is charged the sum of its parts, and shows them', async () => {
    const { ask, events, ledger, gateway } = open([finder('one', found), composed([SEARCH])]);
    expect(await ask()).toMatchObject({ model: 'ask/brief', usage: { cost: 0.0084 } });
    const last = events.findLast(({ type }) => type === 'request_finished');
    const parts = [
      { model: 'one/find', cost: 7_000_000n },
      { model: 'ask/brief', cost: 1_400_000n },
    ];
    expect(last).toMatchObject({ cost: 8_400_000n, upstreamCost: 8_400_000n, loss: 0n, parts, attempts: 1 });
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 8_400_000n, held: 0n });
    expect(gateway.models({ category: 'answer' })[0]).toMatchObject({ pricing: { request: '-1' } });
    expect(gateway.models({ category: 'answer' })[0]).not.toHaveProperty('free');
  });

  it.each([
    ['fails', failing, 'upstream_rejected', 0n],
    ['is under way at the deadline', () => new Promise<never>(() => undefined), 'upstream_timeout', 7n],
    ['finds nothing', () => Promise.resolve({ results: [], cost: { reported: 7_000_000n } }), 'no_answer_found', 7n],
  ] as const)('costs its caller nothing where the search %s', async (_what, search, reason, loss) => {
    const { ask, events, ledger } = open([finder('one', search, { timeoutMs: 40_000 }), composed([SEARCH])]);
    expect(await ask()).toBe(reason);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    expect(events.findLast(({ type }) => type === 'request_finished')).toMatchObject({ loss: loss * 1_000_000n });
  });

  it('loses its search alone to a hedge that wins before the adapter asks anything else', async () => {
    const never = new Promise<never>(() => undefined);
    const { ask, events } = open(
      [finder('one', () => never), composed([SEARCH]), scripted('exa', [OUTCOME]).provider],
      { hedging: { 'ask/brief': { afterMs: 100, with: 'exa/answer', maxExtraCost: '1' }, maxShare: 1 } },
    );
    expect(await ask()).toMatchObject({ model: 'exa/answer' });
    expect(events.findLast(({ type }) => type === 'request_finished')).toMatchObject({ loss: 7_000_000n });
  });

  it('has to have the time that its parts need', () => {
    const start = (timeoutMs: number) => () => open([finder('one', found, { timeoutMs }), composed([SEARCH])]);
    expect(start(120_000)).not.toThrow();
    expect(start(120_004)).toThrow(
      'models["ask/brief"].timeoutMs: found 30000, expected at least 30001, which one/find',
    );
  });
});
