import { type LedgerReason, LIMIT_RESETS, type LimitReset, type Loss, MAX_NANO_USD } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import type { Step } from './steps.js';

export const ORGANIZATIONS = ['acme', 'globex'];
export const KEYS = ['key-1', 'key-2', 'key-3'];
const MODELS = ['exa/answer', 'perplexity/sonar'];
/** Of each organization. */
export const BUDGETS = ['a', 'b', 'c', 'd', 'e'];
const TAGS = ['team-a', 'Team B', '\u{1f4b6}'];

/** A step, with the expected code of refusal if an argument is malformed. */
interface RandomStep {
  readonly step: Step;
  readonly malformed?: LedgerReason;
  /** Pause before the step; for ledgers with a movable clock. */
  readonly waitMs?: number;
}

/** A history, and the window whose end is near at its start. */
export interface RandomHistory {
  readonly startsBefore: LimitReset;
  readonly steps: readonly RandomStep[];
}

/**
 * Random steps over two organizations and three keys. Ids come from small pools and amounts are small, so repeated ids, operations on ended and
 * unknown holds, refusals by the limit of a key, by budgets and by credits, and settles after expiry are common. Sometimes an argument is malformed, and sometimes time
 * passes.
 *
 * @param startMs holds expire within four minutes of it, and sweeps claim times within five.
 */
export function randomHistories(startMs: number): fc.Arbitrary<RandomHistory> {
  const valid = validStep(startMs);
  const step = fc.oneof(
    { weight: 14, arbitrary: valid.map((given): RandomStep => ({ step: given })) },
    { weight: 1, arbitrary: fc.tuple(valid, fc.nat(1)).map(([given, choice]) => malform(given, choice)) },
    {
      weight: 2,
      arbitrary: fc.tuple(valid, fc.constantFrom(...WAITS_MS)).map(([given, waitMs]) => ({ step: given, waitMs })),
    },
  );
  // By default fast-check prefers histories of half a dozen steps, which hardly end any hold.
  const steps = fc.array(step, { minLength: 1, maxLength: MAX_STEPS, size: 'max' });
  return fc.record({
    startsBefore: fc.constantFrom(...LIMIT_RESETS),
    steps: steps.map((random) => [...INITIAL_GRANTS, ...random]),
  });
}

const MAX_STEPS = 60;
const WAITS_MS = [1, 40 * 60_000, 7 * 3_600_000, 24 * 3_600_000];
const INITIAL_GRANTS = ORGANIZATIONS.map((organizationId): RandomStep => {
  return { step: { operation: 'grant', grant: { grantId: organizationId, organizationId, amount: 30n, note: '' } } };
});

/** Up to two losses of up to 9 nanodollars, or no losses. */
export function randomLosses(): fc.Arbitrary<{ readonly losses?: Loss[] }> {
  const model = fc.constantFrom(...MODELS);
  const loss = fc.record({ model, cost: fc.bigInt({ min: 0n, max: 9n }) }).map((given): Loss => {
    return { provider: 'exa', reason: 'upstream_error', ...given };
  });
  return fc.option(fc.array(loss, { maxLength: 2 }).map((losses) => ({ losses }))).map((losses) => losses ?? {});
}

function validStep(startMs: number): fc.Arbitrary<Step> {
  const organizationId = fc.constantFrom(...ORGANIZATIONS);
  const keyId = fc.constantFrom(...KEYS);
  const holdId = fc.nat(11).map((number) => `hold-${number}`);
  const small = (min: bigint, max: bigint) => fc.bigInt({ min, max });
  const minutesAhead = (max: number) => fc.nat(max).map((minutes) => startMs + minutes * 60_000);
  const served = fc.record({
    model: fc.constantFrom(...MODELS),
    provider: fc.constant('exa'),
    costSource: fc.constantFrom('reported', 'flat', 'cached', 'shared'),
  });
  const owed = fc.constantFrom(
    () => ({}),
    (cost: bigint) => ({ upstreamCost: cost / 2n }),
    (cost: bigint) => ({ upstreamCost: 0n, tenantCost: cost * 2n }),
    (cost: bigint) => ({ tenantCost: cost * 2n }),
  );
  const charge = fc
    .tuple(small(0n, 25n), served, randomLosses(), owed)
    .map(([cost, given, losses, costsOf]) => ({ ...given, cost, ...costsOf(cost), ...losses }));
  const keyLimitReset = fc.constantFrom(null, ...LIMIT_RESETS);
  const keyLimit = fc.option(small(0n, 40n), { freq: 2 });
  const limits = { keyLimit, keyLimitReset, amount: small(0n, 20n) };
  const most = fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 });
  // Rare, so that most holds are limited by the budgets.
  const slots = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.record({ keyMaxConcurrent: most, organizationMaxConcurrent: most }) },
    { weight: 1, arbitrary: fc.constant({ usesSlot: false }) },
    { weight: 1, arbitrary: fc.constant({ operatorPays: true }) },
  );
  const grantId = fc.nat(7).map((number) => `grant-${number}`);
  const adjustmentId = fc.nat(5).map((number) => `adjustment-${number}`);

  const grant = fc.record({ grantId, organizationId, amount: small(0n, 40n), note: fc.string({ maxLength: 12 }) });
  const ids = fc.shuffledSubarray(BUDGETS, { maxLength: 4 });
  const adjustment = fc.record(
    { adjustmentId, organizationId, keyId, amount: small(-15n, 15n), note: fc.constant(''), budgets: ids },
    { requiredKeys: ['adjustmentId', 'organizationId', 'amount', 'note'] },
  );
  const expiresAtMs = minutesAhead(4);
  const tag = fc.option(fc.constantFrom(...TAGS)).map((given) => (given === null ? {} : { tag: given }));
  const asked = fc.record({ holdId, organizationId, keyId, ...limits, expiresAtMs, model: fc.constant('a/b') });
  const budget = fc.record({
    id: fc.constantFrom(...BUDGETS),
    limit: fc.option(small(0n, 30n)),
    limitReset: keyLimitReset,
    isKept: fc.constant(true),
  });
  const several = fc.uniqueArray(budget, { maxLength: 4, selector: ({ id }) => id });
  const budgets = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.record({ budgets: several }) },
  );
  const request = fc
    .tuple(asked, slots, tag, budgets)
    .map(([given, bounds, tagged, counted]) => ({ ...given, ...bounds, ...tagged, ...counted }))
    .chain((given) => fc.option(smallerThan(given.amount)).map((smaller) => ({ ...given, ...smaller })));
  const release = randomLosses().map((losses) => ({ reason: 'failed', ...losses }));

  return fc.oneof(
    { weight: 1, arbitrary: fc.record({ operation: fc.constant('grant'), grant }) },
    { weight: 1, arbitrary: fc.record({ operation: fc.constant('adjust'), adjustment }) },
    { weight: 8, arbitrary: fc.record({ operation: fc.constant('hold'), request }) },
    { weight: 5, arbitrary: fc.record({ operation: fc.constant('settle'), holdId, charge }) },
    { weight: 3, arbitrary: fc.record({ operation: fc.constant('release'), holdId, release }) },
    { weight: 2, arbitrary: fc.record({ operation: fc.constant('expire'), nowMs: minutesAhead(5) }) },
  );
}

/** Up to four smaller amounts, descending. */
function smallerThan(amount: bigint): fc.Arbitrary<{ readonly acceptableAmounts: readonly bigint[] }> {
  const below = fc.bigInt({ min: 0n, max: amount > 0n ? amount - 1n : 0n });
  const maxLength = amount > 0n ? 4 : 0;
  return fc
    .uniqueArray(below, { maxLength })
    .map((amounts) => ({ acceptableAmounts: amounts.sort((a, b) => (a < b ? 1 : -1)) }));
}

/** The same step with one malformed argument, which must leave no trace. */
function malform(step: Step, choice: number): RandomStep {
  const amount = choice === 0 ? -1n : MAX_NANO_USD + 1n;
  const id = choice === 0 ? '' : 'not an id';
  switch (step.operation) {
    case 'grant':
      return { step: { ...step, grant: { ...step.grant, amount } }, malformed: 'invalid_amount' };
    case 'adjust':
      return { step: { ...step, adjustment: { ...step.adjustment, adjustmentId: id } }, malformed: 'invalid_id' };
    case 'hold':
      return choice === 0
        ? { step: { ...step, request: { ...step.request, amount } }, malformed: 'invalid_amount' }
        : { step: { ...step, request: { ...step.request, keyId: id } }, malformed: 'invalid_id' };
    case 'settle':
      return { step: { ...step, charge: { ...step.charge, cost: amount } }, malformed: 'invalid_amount' };
    case 'release':
      return { step: { ...step, holdId: id }, malformed: 'invalid_id' };
    case 'expire':
      return { step: { ...step, nowMs: Number.NaN }, malformed: 'invalid_argument' };
  }
}
