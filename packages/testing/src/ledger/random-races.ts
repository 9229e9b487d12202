import assert from 'node:assert/strict';
import { type Ledger, LIMIT_RESETS, type Loss } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import { audit, type KeyLimits, type Taken } from './audit.js';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { randomLosses } from './random-steps.js';
import { adjustmentOf, chargeOf, FAR_AHEAD_MS, grantOf, holdOf } from './requests.js';
import { type Step, take } from './steps.js';

const ORGANIZATIONS = ['acme', 'globex'];
const KEYS = ['key-1', 'key-2', 'key-3'];
const RESETS = [null, ...LIMIT_RESETS];
const OPERATIONS = [
  'hold',
  'hold',
  'hold',
  'settle',
  'settle',
  'release',
  'expire',
  'grant',
  'adjust',
  'malformed',
] as const;

/** One call as random choices; their meaning depends on the plan. */
interface Move {
  readonly operation: (typeof OPERATIONS)[number];
  readonly choice: number;
  readonly amount: bigint;
  readonly losses: { readonly losses?: Loss[] };
  /** Turns of the promise queue before the call starts, which interleave it with the others of its round. */
  readonly pauses: number;
}

interface Plan {
  readonly credits: readonly bigint[];
  readonly limits: readonly (bigint | null)[];
  /** The amount of each hold, by its index. */
  readonly amounts: readonly bigint[];
  /** No step may overdraw a budget, so the bound on budgets is exact. */
  readonly tame: boolean;
  readonly rounds: readonly (readonly Move[])[];
}

function randomPlans(): fc.Arbitrary<Plan> {
  const amount = (min: bigint, max: bigint) => fc.bigInt({ min, max });
  const move = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    choice: fc.nat(1_000),
    amount: amount(0n, 30n),
    losses: randomLosses(),
    pauses: fc.nat(4),
  });
  const times = (length: number) => ({ minLength: length, maxLength: length });
  return fc.record({
    credits: fc.array(amount(5n, 40n), times(ORGANIZATIONS.length)),
    limits: fc.array(fc.option(amount(5n, 40n), { freq: 2 }), times(KEYS.length)),
    amounts: fc.array(amount(0n, 20n), { minLength: 1, maxLength: 14, size: 'max' }),
    tame: fc.boolean(),
    // By default fast-check prefers short rounds, in which operations hardly overlap.
    rounds: fc.array(fc.array(move, { minLength: 1, maxLength: 16, size: 'max' }), {
      minLength: 1,
      maxLength: 6,
      size: 'max',
    }),
  });
}

function stepOf(plan: Plan, { operation, choice, amount, losses }: Move): Step {
  const index = choice % plan.amounts.length;
  const holdId = `hold-${index}`;
  const organizationId = ORGANIZATIONS[choice % ORGANIZATIONS.length] ?? 'acme';
  const most = plan.amounts[index] ?? 0n;
  const acceptableAmounts = index % 2 === 1 && most > 0n ? [most / 2n] : [];
  const least = acceptableAmounts[0] ?? most;
  const keyIndex = index % KEYS.length;
  const request = holdOf({
    holdId,
    organizationId: ORGANIZATIONS[index % ORGANIZATIONS.length] ?? 'acme',
    keyId: KEYS[keyIndex] ?? 'key-1',
    keyLimit: plan.limits[keyIndex] ?? null,
    keyLimitReset: RESETS[index % RESETS.length] ?? null,
    amount: most,
    acceptableAmounts,
    expiresAtMs: FAR_AHEAD_MS + index,
    ...(index % 3 !== 0 && { tag: `team-${index % 3}` }),
  });
  switch (operation) {
    case 'hold':
      return { operation, request };
    case 'settle': {
      const cost = plan.tame && amount > least ? least : amount;
      return { operation, holdId, charge: chargeOf({ cost, ...losses }) };
    }
    case 'release':
      return { operation, holdId, release: { reason: 'failed', ...losses } };
    case 'expire':
      // After an expiry a late settle may overdraw: a tame plan sweeps before any hold is due.
      return { operation, nowMs: FAR_AHEAD_MS + (plan.tame ? -1 : index) };
    case 'grant':
      return { operation, grant: grantOf({ grantId: `grant-${choice % 4}`, organizationId, amount }) };
    case 'adjust': {
      const adjustmentId = `adjustment-${choice % 4}`;
      const keyId = KEYS[choice % KEYS.length] ?? 'key-1';
      const signed = plan.tame || choice % 2 === 0 ? -amount : amount;
      return { operation, adjustment: adjustmentOf({ adjustmentId, organizationId, keyId, amount: signed }) };
    }
    case 'malformed':
      return { operation: 'hold', request: { ...request, amount: -1n - amount } };
  }
}

/** Runs the steps of one round in parallel. */
async function race(handles: readonly Ledger[], plan: Plan, round: readonly Move[]): Promise<Taken[]> {
  return Promise.all(
    round.map(async (move, index) => {
      for (let pause = 0; pause < move.pauses; pause += 1) await Promise.resolve();
      const step = stepOf(plan, move);
      const outcome = await take(handles[index % handles.length] as Ledger, step);
      if (move.operation === 'malformed') assert.deepEqual(outcome, { refusal: 'invalid_amount' });
      return { step, outcome };
    }),
  );
}

async function runPlan({ ledger, connect }: LedgerUnderTest, plan: Plan, connections: boolean): Promise<void> {
  const handles = connections && connect !== undefined ? [ledger, await connect()] : [ledger];
  const limits: KeyLimits = new Map(KEYS.map((id, index) => [id, plan.limits[index] ?? null]));
  const history: Taken[] = [];
  for (const [index, amount] of plan.credits.entries()) {
    const grant = grantOf({ grantId: `start-${index}`, organizationId: ORGANIZATIONS[index] ?? 'acme', amount });
    history.push({ step: { operation: 'grant', grant }, outcome: await take(ledger, { operation: 'grant', grant }) });
  }
  for (const round of plan.rounds) {
    history.push(...(await race(handles, plan, round)));
    await audit(ledger, history, limits);
  }
  const sweep: Step = { operation: 'expire', nowMs: FAR_AHEAD_MS + plan.amounts.length };
  history.push({ step: sweep, outcome: await take(ledger, sweep) });
  assert.equal(await audit(ledger, history, limits), 0, 'every hold has ended');
}

/**
 * Random races: rounds of parallel operations, randomly interleaved, including repeated ids, ended holds and malformed arguments.
 * After every round the ledger is audited against the log and against all answers.
 */
export function registerRandomRaces({ describe, property, supports }: LedgerSuite): void {
  describe('random races', () => {
    property('keeps the ledger right whatever happens at once', async ({ runs, withLedger }) => {
      const plans = fc.asyncProperty(randomPlans(), (plan) =>
        withLedger((under) => runPlan(under, plan, supports.connections === true)),
      );
      await fc.assert(plans, { numRuns: runs });
    });
  });
}
