import { createFakeClock } from '@searchgate/testing';
import { assembleGateway, type ChanceSources } from '../src/gateway.js';
import { type GatewayEvent, type GatewayOptions, isRequestError, memoryApiKeys, memoryLedger } from '../src/index.js';
import {
  type AnswerAdapter,
  type AnswerOutcome,
  type CallContext,
  type Provider,
  UpstreamError,
  type UpstreamReason,
} from '../src/provider-kit/index.js';

/** The secret of `start`'s one API key. */
export const KEY = 'a-secret-of-twenty-characters';
const PROVENANCE = { source: 'test', asOf: '2026-11-21', confidence: 'high' } as const;
export const OUTCOME: AnswerOutcome = {
  text: 'Open since 2021 [1].',
  citations: [{ url: 'https://example.org/a', title: 'A', snippet: 'Opened.' }],
  cost: {},
};

/** The reasons why an attempt at an answer fails. */
export const UPSTREAM_REASONS: readonly UpstreamReason[] = [
  'upstream_auth_failed',
  'upstream_quota_exhausted',
  'upstream_rate_limited',
  'upstream_rejected',
  'query_rejected',
  'no_answer_found',
  'upstream_error',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid_response',
];

type Reply = AnswerOutcome | UpstreamError | Error | (() => Promise<AnswerOutcome>);

/** A provider that gives one reply per attempt, and repeats the last. */
export function scripted(id: string, replies: Reply[], price: Partial<Record<string, string>> = {}) {
  const calls: { query: string; context: CallContext }[] = [];
  const row =
    price['typical'] === undefined ? { kind: 'flat', request: '0.005', ...price } : { kind: 'dynamic', ...price };
  const provider: Provider = {
    id,
    name: id,
    models: [
      {
        slug: `${id}/answer`,
        name: id,
        description: 'A scripted provider.',
        prices: [{ ...row, ...PROVENANCE } as Provider['models'][number]['prices'][number]],
        features: ['citations'],
        contextLength: null,
        timeoutMs: 10_000,
      },
    ],
    answer: {
      answer({ query }, context) {
        calls.push({ query, context });
        const reply = replies.length > 1 ? replies.shift() : replies[0];
        if (typeof reply === 'function') return reply();
        return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply ?? OUTCOME);
      },
    },
  };
  return { provider, calls };
}

/** A provider that streams the parts from the test's function. */
export function streaming(stream: NonNullable<AnswerAdapter['stream']>): Provider {
  const { provider } = scripted('exa', [OUTCOME]);
  const models = provider.models.map((model) => ({ ...model, features: ['citations', 'streaming'] as const }));
  return { ...provider, models, answer: { ...provider.answer!, stream } };
}

export const failure = (
  reason: UpstreamReason,
  more: Partial<ConstructorParameters<typeof UpstreamError>[1]> = {},
): UpstreamError => new UpstreamError(reason, { phase: 'headers', status: 500, ...more });

interface Setup extends Partial<GatewayOptions>, Pick<ChanceSources, 'newId'> {
  readonly limit?: string | null;
  readonly credits?: string;
}

/** A gateway over a memory ledger with one organization and one key, and the observable state. */
export function start(
  providers: readonly Provider[],
  { limit = '1.00', credits = '10.00', newId, ...options }: Setup = {},
) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const events: GatewayEvent[] = [];
  const logged: string[] = [];
  const ledger = options.ledger ?? memoryLedger({ credits: { acme: credits }, clock });
  const chance = { random: () => 0.5, ...(newId && { newId }) };
  const given: GatewayOptions = {
    providers,
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit }]),
    clock,
    logger: { warn: (_fields, message) => logged.push(message), error: (_fields, message) => logged.push(message) },
    onEvent: (event) => void events.push(event),
    ...options,
    ledger,
  };
  const gateway = assembleGateway(given, chance);
  const ask = (model: string, query = 'When did it open?') => gateway.answer({ apiKey: KEY, model, query });
  const totals = async () => ({
    ...(await ledger.organizationTotals('acme')),
    key: (await ledger.keyTotals('key')).usage,
  });
  const kinds = async () =>
    (await ledger.entries({ organizationId: 'acme' })).entries.map(({ kind, amount }) => [kind, amount]);
  return { gateway, clock, events, logged, ledger, ask, totals, kinds };
}

/** The result of a call: `answered`, or the reason of its error. */
export const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (isRequestError(error) ? error.reason : error),
  );

/** Lets timers run until the promise settles. */
export async function whileAdvancing<T>(
  clock: ReturnType<typeof createFakeClock>,
  promise: Promise<T>,
  stepMs = 1_000,
): Promise<T> {
  const progress = { ended: false };
  const watched = promise.finally(() => (progress.ended = true));
  watched.catch(() => undefined);
  for (let step = 0; step < 1_000 && !progress.ended; step += 1) {
    await clock.advance(step === 0 ? 0 : stepMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return watched;
}
