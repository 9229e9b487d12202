import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { LedgerError, type LedgerReason } from '../base/errors/ledger-error.js';
import type { CallableModel } from '../catalog/catalog.js';
import { createCostHistories } from '../catalog/cost-history.js';
import { type HoldRequest, type HoldResult, type Ledger, MAX_ACCEPTABLE_AMOUNTS } from '../ledger/ledger.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerPlan, RequestContext } from './answer.js';
import type { CallerLimits } from './caller-limits.js';
import { holdFunds } from './held-funds.js';
import { createRateLimitCache } from './rate-limit-cache.js';

const NO_MARKUP = 1_000_000_000n;

function candidate(slug: string, request: bigint): CallableModel {
  const prices = [{ kind: 'flat', validFromMs: Number.NEGATIVE_INFINITY, request, fixed: false }];
  return {
    model: { slug },
    provider: 'exa',
    prices,
    histories: createCostHistories()(slug),
  } as unknown as CallableModel;
}

/** Holds for candidates of these prices, each named by its place. */
function start(prices: readonly bigint[], answer: HoldResult | Error, limits: CallerLimits = {}) {
  const asked: HoldRequest[] = [];
  const logged: unknown[] = [];
  const hold = (request: HoldRequest) => {
    asked.push(request);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const logger = { warn: () => undefined, error: (...line: unknown[]) => logged.push(line) };
  const candidates = prices.map((price, index) => candidate(`exa/${index}`, price));
  const apiKey = { id: 'key', organizationId: 'acme', limit: 9n, limitReset: 'daily', allowedModels: null };
  const plan = { request: { apiKey }, expiresAtMs: 5 } as unknown as AnswerPlan;
  const route = { candidates, longestMs: 1 } as unknown as RoutePlan;
  const refusals = createRateLimitCache(createFakeClock());
  const released: string[] = [];
  const indeterminateHolds = { release: (id: string) => void released.push(id) };
  const deps = {
    ledger: { hold } as unknown as Ledger,
    logger,
    refusals,
    indeterminateHolds,
    limitsOf: () => limits,
    budgetRefused: () => undefined,
  };
  const context = { rates: null } as RequestContext;
  const holding = (async () =>
    holdFunds(deps, {
      holdId: 'hold',
      plan,
      route,
      maxAttempts: 3,
      nowMs: 0,
      markup: NO_MARKUP,
      organizationId: 'acme',
      context,
    }))();
  return { held: holding, asked, logged, released, candidates, context, refusals };
}

const held = (amount: bigint): HoldResult => ({ status: 'held', amount });
const REFUSED = { status: 'refused', limit: 9n, usage: 8n, held: 1n, required: 2n, resetsAtMs: 7 } as const;

describe('holding funds', () => {
  it.each<[string, bigint[], Partial<HoldRequest>]>([
    ['one amount for one candidate', [5n], { amount: 5n }],
    ['one amount for candidates of one price', [5n, 5n], { amount: 5n }],
    ['the dearest, and the others in descending order', [3n, 5n, 4n, 3n], { amount: 5n, acceptableAmounts: [4n, 3n] }],
  ])('asks for %s', async (_what, prices, amounts) => {
    const { held: holding, asked } = start(prices, held(5n));
    await holding;
    const who = { holdId: 'hold', organizationId: 'acme', keyId: 'key', keyLimit: 9n, keyLimitReset: 'daily' };
    expect(asked).toEqual([{ ...who, ...amounts, expiresAtMs: 5, model: 'exa/0' }]);
  });

  it('asks for the smallest amounts when there are too many', async () => {
    const prices = Array.from({ length: MAX_ACCEPTABLE_AMOUNTS + 3 }, (_, index) => BigInt(100 - index));
    const { held: holding, asked } = start(prices, held(100n));
    await holding;
    expect(asked[0]?.acceptableAmounts).toEqual(prices.slice(3));
  });

  it('drops the candidates that cost more than the held amount', async () => {
    const { held: holding, candidates } = start([5n, 3n], held(3n));
    const { amount, route, priceOf } = await holding;
    const [dear, cheap] = candidates as [CallableModel, CallableModel];
    expect([amount, route.candidates]).toEqual([3n, [cheap]]);
    expect(priceOf(cheap)).toBe(cheap.prices[0]);
    expect(() => priceOf(dear)).toThrow('exa/0 is no candidate of this call');
  });

  it('makes a failing ledger a 503, and logs why', async () => {
    const down = new Error('down');
    const { held: holding, logged } = start([5n], down);
    await expect(holding).rejects.toMatchObject({ reason: 'ledger_unavailable', retryAfterMs: 1_000, cause: down });
    expect(logged).toEqual([[{ error: down, holdId: 'hold' }, expect.any(String)]]);
  });

  it.each<[string, HoldResult | Error, string[]]>([
    ['when the ledger failed before it answered', new Error('down'), ['hold']],
    ['when it held another amount', held(2n), ['hold']],
  ])('releases the hold that may exist %s', async (_what, answer, ids) => {
    const { held: holding, released } = start([5n, 3n], answer);
    await expect(holding).rejects.toMatchObject({ reason: 'ledger_unavailable' });
    expect(released).toEqual(ids);
  });

  // Written by hand: a hold wrongly taken for refused blocks money until it expires, and a hold of another call must not be released.
  const REASONS: Record<LedgerReason, 'refused' | 'unsure'> = {
    duplicate_hold: 'refused',
    invalid_amount: 'refused',
    invalid_id: 'refused',
    invalid_argument: 'refused',
    invalid_cursor: 'unsure',
    schema_mismatch: 'unsure',
    ledger_timeout: 'unsure',
    ledger_closed: 'unsure',
    unknown_hold: 'unsure',
    duplicate_grant: 'unsure',
    duplicate_adjustment: 'unsure',
    duplicate_key: 'unsure',
    unknown_key: 'unsure',
    unknown_organization: 'unsure',
    unknown_budget: 'unsure',
    budget_in_use: 'unsure',
    too_many_budgets: 'refused',
    schema_window_open: 'unsure',
  };

  it.each(Object.entries(REASONS))('takes %s for %s', async (reason, meaning) => {
    const { held: holding, released } = start([5n], new LedgerError(reason as LedgerReason, 'said so'));
    const isOfCaller = reason === 'too_many_budgets';
    await expect(holding).rejects.toMatchObject({ reason: isOfCaller ? reason : 'ledger_unavailable' });
    expect(released).toEqual(meaning === 'unsure' ? ['hold'] : []);
  });

  it('refuses an amount that it did not ask for', async () => {
    const { held: holding, logged } = start([5n, 3n], held(2n));
    await expect(holding).rejects.toMatchObject({ reason: 'ledger_unavailable', retryAfterMs: 1_000 });
    expect(logged).toEqual([[{ holdId: 'hold', amount: 2n }, expect.any(String)]]);
  });

  const details = { limit: 9n, usage: 8n, required: 2n, limitReset: null, resetsAtMs: 7 };
  it.each([
    ['key_limit', false, 'key_limit_reached', { ...details, limitReset: 'daily' }, null],
    ['organization_credits', false, 'organization_credits_exhausted', details, null],
    ['organization_credits', true, 'budget_in_flight', details, 1_000],
  ] as const)('is refused by %s (fits without holds: %s) as %s', async (by, fitsWithoutHolds, ...expected) => {
    const [reason, of, retryAfterMs] = expected;
    const { held: holding } = start([5n], { ...REFUSED, by, fitsWithoutHolds });
    await expect(holding).rejects.toMatchObject({ reason, details: of, retryAfterMs });
  });

  const rate = { requests: 4, periodMs: 60_000 };
  const limits: CallerLimits = {
    keyRateLimit: rate,
    organizationRateLimit: { requests: 2, periodMs: 86_400_000 },
    keyMaxConcurrent: 3,
    organizationMaxConcurrent: 5,
  };

  it('passes the caller’s limits to the ledger, and keeps the used rates for the caller', async () => {
    const used = { key: 1, organization: 0.5 };
    const { held: holding, asked, context } = start([5n], { ...held(5n), ratesUsed: used }, limits);
    await holding;
    expect(asked).toEqual([expect.objectContaining(limits)]);
    expect(context.rates).toMatchObject({ keyRateLimit: rate, used });
  });

  it.each([
    ['key_concurrency', 'concurrency_limited', { scope: 'key', limit: 3 }, 1_000],
    ['organization_concurrency', 'concurrency_limited', { scope: 'organization', limit: 5 }, 1_000],
    ['key_rate', 'rate_limited', { scope: 'key', limit: 4, periodSeconds: 60, retryAfterSeconds: 8 }, 7_500],
    [
      'organization_rate',
      'rate_limited',
      { scope: 'organization', limit: 2, periodSeconds: 86_400, retryAfterSeconds: 43_200 },
      43_200_000,
    ],
  ] as const)('is refused by %s as %s', async (by, reason, expected, retryAfterMs) => {
    const used = { key: 3.5, organization: 2 };
    const refused = { status: 'refused', by, ratesUsed: used } as const;
    const { held: holding, context, refusals } = start([5n], refused, limits);
    const error = await holding.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason, details: expected });
    expect(Math.abs((error as { retryAfterMs: number }).retryAfterMs - retryAfterMs)).toBeLessThanOrEqual(100);
    expect(context.rates).toMatchObject({ used });
    const known = refusals.find({ id: 'key', organizationId: 'acme' }, limits);
    expect(known?.by).toBe(by.endsWith('rate') ? by : undefined);
  });
});
