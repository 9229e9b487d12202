import { createFakeClock, type FakeClock } from '@searchgate/testing';
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
import { KEY, whileAdvancing } from './scripted-gateway.js';

export const PROVENANCE = { source: 'test', asOf: '2026-11-29', confidence: 'high' } as const;
export const PAGE = { url: 'https://example.org/', title: 'A page', snippet: 'Open since 2021.' };
export type Search = NonNullable<Provider['search']>['search'];

export function row(slug: string, request: string, more: Partial<ModelRow> = {}): ModelRow {
  const about = { slug, name: slug, description: 'Does what the test says.', features: [], contextLength: null };
  return { ...about, prices: [{ kind: 'flat', request, ...PROVENANCE }], maxResults: 20, timeoutMs: 10_000, ...more };
}

export function finder(
  id: string,
  search: Search,
  more: Partial<ModelRow> = {},
  own: Partial<Provider> = {},
): Provider {
  return { id, name: id, models: [], search: { models: [row(`${id}/find`, '0.007', more)], search }, ...own };
}

export const found: Search = () => Promise.resolve({ results: [PAGE], cost: {} });
export const silent: Search = () => new Promise(() => undefined);
export const failing: Search = () =>
  Promise.reject(new UpstreamError('upstream_rejected', { phase: 'headers', status: 400 }));

/** Asks each search, then answers from what was found. */
export const answer: AnswerAdapter['answer'] = async ({ query, model }, context) => {
  const searches = (model.parts ?? []).map(({ model: slug }) => context.run!('search', slug, { query }));
  const [first = []] = await Promise.all(searches);
  const citations = first as readonly { url: string; snippet: string }[];
  if (citations.length === 0) throw new UpstreamError('no_answer_found', { phase: 'shape', status: 200 });
  return { text: 'Open since 2021 [1].', citations, cost: { usage: { inputTokens: 1_000, outputTokens: 100 } } };
};

export const QUESTION = { apiKey: KEY, model: 'ask/brief', query: 'Since when?' };
export const SEARCH: ModelPart = { kind: 'search', model: 'one/find', most: { results: 10 } };

export const SECOND: ModelPart = { ...SEARCH, model: 'two/find' };
export const FAILED = new UpstreamError('upstream_error', { phase: 'headers', status: 500 });

export function composed(parts: readonly ModelPart[], adapter = answer, more: Partial<Provider> = {}): Provider {
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

export function open(providers: readonly Provider[], options: Partial<GatewayOptions> = {}) {
  const clock = (options.clock as FakeClock | undefined) ?? createFakeClock(Date.UTC(2026, 10, 29));
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: { acme: '10' }, clock });
  const apiKeys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]);
  const onEvent = (event: GatewayEvent) => void events.push(event);
  const logged: unknown[] = [];
  const logger = { warn: () => undefined, error: ({ error }: { error?: unknown }) => logged.push(error) };
  const gateway = createGateway({ providers, apiKeys, ledger, clock, onEvent, logger, ...options });
  const ask = (more: object = {}) => {
    const asking = gateway.answer({ ...QUESTION, ...more });
    return whileAdvancing(clock, asking, 100).catch((error: unknown) => (isRequestError(error) ? error.reason : error));
  };
  const refusal = () => whileAdvancing(clock, gateway.answer(QUESTION), 100).catch((error: unknown) => error);
  const entries = async () =>
    (await ledger.entries({ organizationId: 'acme' })).entries.flatMap((each) =>
      each.kind === 'charge' || each.kind === 'loss' ? [[each.kind, each.model, each.amount]] : [],
    );
  const attempts = () =>
    events.flatMap((each) => (each.type === 'attempt_finished' ? [[each.model, each.outcome]] : []));
  const pausedOnes = () => gateway.status().providers.flatMap(({ id, state }) => (state === 'paused' ? [id] : []));
  return { gateway, ledger, clock, ask, events, logged, refusal, entries, attempts, pausedOnes };
}
