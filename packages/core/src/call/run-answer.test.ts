import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { GatewayEvent } from '../base/events/events.js';
import { createDeadlines } from '../base/time/deadline.js';
import type { CompiledPrice } from '../catalog/compile-prices.js';
import { createCostHistories } from '../catalog/cost-history.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import type { ProviderAnswer } from '../kinds/kind-call.js';
import type { Ledger } from '../ledger/ledger.js';
import { createProviderLimits } from '../limits/provider-limits.js';
import { openContext } from '../request/handle-request-lifecycle.js';
import { type CircuitPermit, createCircuitBreaker } from '../routing/circuit-breaker.js';
import { createHedgeBudget } from '../routing/hedge-budget.js';
import type { CandidateOrder } from '../routing/route-plan.js';
import type { AnswerPlan } from './answer.js';
import type { Attempt } from './attempt.js';
import { ProviderPermits } from './provider-permits.js';
import { createRateLimitCache } from './rate-limit-cache.js';
import { type RunAnswerDeps, runAnswer } from './run-answer.js';

const OUTCOME: ProviderAnswer = { value: { text: 'Open.', citations: [] }, cost: {} };
const validFromMs = Number.NEGATIVE_INFINITY;
const FLAT: CompiledPrice = { kind: 'flat', validFromMs, request: 5n, rates: null, fixed: false };
const DYNAMIC = { kind: 'dynamic', validFromMs, typical: 5n, ceiling: 10n } as unknown as CompiledPrice;

const UNLIMITED = {
  providers: [{ id: 'exa' }, { id: 'you' }],
  connections: 100,
  limits: new Map(),
  maxConnectionWaitMs: 0,
  slots: { total: 1, perOrganization: 1 },
};

/** One call at a model of this price, whose only attempt comes to this. */
function start(price: CompiledPrice, attempt: () => ReturnType<Attempt>, order?: CandidateOrder) {
  const clock = createFakeClock();
  const events: GatewayEvent[] = [];
  const ended: unknown[] = [];
  const usable: boolean[] = [];
  const logger = { warn: () => undefined, error: () => undefined };
  const emit = (event: GatewayEvent) => void events.push(event);
  const breaker = createCircuitBreaker({ failureThreshold: 3, cooldownMs: 1_000, clock, emit });
  const histories = createCostHistories()('exa/answer');
  const candidate = { model: { slug: 'exa/answer' }, provider: 'exa', timeoutMs: 10_000, prices: [price], histories };
  const apiKey = { id: 'key', organizationId: 'acme', limit: null, limitReset: null, allowedModels: null };
  const call = new QuestionCall({ query: 'When?', includeCitations: true }, null);
  const request = { apiKey, call, isDisconnected: () => false };
  const plan = {
    request,
    route: { candidates: [candidate], longestMs: 10_000, order },
    expiresAtMs: 5,
  } as unknown as AnswerPlan;
  const context = openContext('req');
  const ledger = { hold: ({ amount }: { amount: bigint }) => Promise.resolve({ status: 'held', amount }) };
  const retry = { baseDelayMs: 1, maxDelayMs: 1, random: () => 0 };
  const limits = createProviderLimits({ ...UNLIMITED, clock, cooldownMs: 30_000, emit: () => undefined });
  const deadlines = createDeadlines(clock);
  const deps: RunAnswerDeps = {
    holding: {
      ledger: ledger as unknown as Ledger,
      logger,
      refusals: createRateLimitCache(clock),
      indeterminateHolds: { release: () => undefined },
      limitsOf: () => ({}),
      budgetRefused: () => undefined,
    },
    attempting: {
      attempt,
      permits: new ProviderPermits({ breaker, limits, deadlines, clock, events: { emit } }),
      deadlines,
      retry,
      maxAttempts: 1,
      clock,
      latencies: { percentile95Ms: () => undefined },
      hedgeBudget: createHedgeBudget(1),
    },
    routes: {} as RunAnswerDeps['routes'],
    partCall: () => null,
    settler: {
      begin: () => undefined,
      end: (...ending) => (ended.push(ending), Promise.resolve()),
      close: () => Promise.resolve(),
      open: 0,
      waiting: 0,
    },
    latencies: {
      sort(items, { isUsable }) {
        usable.push(...items.map(isUsable));
        return [...items];
      },
    },
    clock,
    events: {
      emit,
      subscribe: () => () => undefined,
      flush: () => undefined,
      deliver: () => Promise.resolve(true),
      isHeard: () => false,
    },
    logger,
    newAnswerId: () => 'answer',
    markupOf: () => 1_000_000_000n,
    overrun: 'charge',
    cache: null,
    sharing: null,
    ownKeys: null,
  };
  return { run: () => runAnswer(deps, plan, context), ended, usable, events, breaker, histories, clock, context };
}

const answered = (cost: ProviderAnswer['cost']) => () =>
  Promise.resolve({ status: 'answered', outcome: { ...OUTCOME, cost }, losses: [] } as const);

describe('runAnswer', () => {
  it('releases the hold after an internal error', async () => {
    const bug = new TypeError('x is undefined');
    const { run, ended } = start(FLAT, () => Promise.reject(bug));
    await expect(run()).rejects.toBe(bug);
    const release = { reason: 'internal_error', losses: [] };
    expect(ended).toEqual([['answer', { operation: 'release', release }, 'req']]);
  });

  it('ends a hold once, also when an answer that has been charged cannot be presented', async () => {
    const outcome = { value: { text: 'Open.', citations: null }, cost: {} };
    const { run, ended, context } = start(FLAT, () => Promise.resolve({ status: 'answered', outcome, losses: [] }));
    await expect(run()).rejects.toThrow(TypeError);
    expect(ended).toMatchObject([['answer', { operation: 'settle', charge: { cost: 5n } }, 'req']]);
    expect(context.cost).toBe(5n);
  });

  it('tells the sort by latency which candidates are paused for the caller', async () => {
    const byLatency = { sort: 'latency', sorted: 1, maxCost: null } as const;
    const { run, usable, breaker } = start(FLAT, answered({}), byLatency);
    await run();
    for (let failures = 0; failures < 3; failures += 1)
      breaker.failed(breaker.enter('exa', 'acme') as CircuitPermit, { reason: 'upstream_error', retryAfterMs: null });
    await expect(run()).rejects.toMatchObject({ reason: 'upstream_unavailable' });
    expect(usable).toEqual([true, false]);
  });

  const model = 'exa/answer';
  it.each<[string, CompiledPrice, ProviderAnswer['cost'], object, object[], bigint | undefined]>([
    ['a flat price', FLAT, {}, { cost: 5n, costSource: 'flat', losses: [] }, [], 5n],
    ['a reported cost', FLAT, { reported: 5n }, { cost: 5n, costSource: 'reported', losses: [] }, [], 5n],
    [
      'a reported cost far from the flat price',
      FLAT,
      { reported: 9n },
      { cost: 9n, costSource: 'reported', losses: [] },
      [{ type: 'cost_mismatch', model, reported: 9n, computed: 5n }],
      9n,
    ],
    [
      'no cost at all',
      DYNAMIC,
      {},
      { cost: 10n, costSource: 'ceiling', losses: [] },
      [{ type: 'cost_unknown', model, charged: 10n }],
      undefined,
    ],
    [
      'a cost that cannot be true',
      FLAT,
      { reported: 101n },
      { cost: 5n, losses: [{ model, provider: 'exa', cost: 96n, reason: 'cost_implausible' }] },
      [{ type: 'cost_implausible', model, reported: 101n, charged: 5n }],
      undefined,
    ],
  ])(
    'charges %s, emits an event for a cost that looks wrong, and records real costs',
    async (_what, price, cost, ...expected) => {
      const [charge, told, remembered] = expected;
      const { run, ended, events, histories, clock } = start(price, answered(cost));
      await run();
      expect(ended).toMatchObject([['answer', { operation: 'settle', charge }, 'req']]);
      const about = { atMs: clock.now(), requestId: 'req', organizationId: 'acme' };
      expect(events).toEqual(told.map((event) => ({ ...about, ...event })));
      expect(histories.find('acme')?.percentile99()).toBe(remembered);
    },
  );
});
