import assert from 'node:assert/strict';
import type { HoldBudget, Ledger } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { assertKey, assertOrganization } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE } from './requests.js';

const CREDITS = 300n;
const KEYS = ['key-1', 'key-2'];
/** With the limit that calls bring; some calls bring another. */
const LIMITS: Readonly<Record<string, bigint | null>> = { a: 60n, b: 100n, c: 150n, d: 200n, e: null };

const amounts = fc.bigInt({ min: 0n, max: 40n });
const ids = fc.shuffledSubarray(Object.keys(LIMITS), { maxLength: 4 });
const step = fc.oneof(
  fc.record({
    does: fc.constant('hold' as const),
    key: fc.constantFrom(...KEYS),
    keyLimit: fc.constantFrom(null, 120n),
    ids,
    amount: amounts,
    smaller: fc.boolean(),
    limit: fc.option(amounts, { nil: undefined, freq: 8 }),
  }),
  fc.record({ does: fc.constant('settle' as const), hold: fc.nat(), amount: amounts }),
  fc.record({ does: fc.constantFrom('release' as const, 'expire' as const), hold: fc.nat() }),
  fc.record({ does: fc.constant('adjust' as const), ids, amount: fc.bigInt({ min: -40n, max: 20n }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Asked = Extract<Step, { does: 'hold' }>;

interface Held {
  readonly holdId: string;
  readonly subjects: readonly string[];
  readonly amount: bigint;
}

/** Usage and open holds by subject: `acme`, keys and budgets. */
class Books {
  readonly used = new Map<string, bigint>();
  readonly open: Held[] = [];

  use(subjects: readonly string[], amount: bigint): void {
    for (const each of subjects) this.used.set(each, this.usage(each) + amount);
  }
  usage(subject: string): bigint {
    return this.used.get(subject) ?? 0n;
  }
  held(subject: string): bigint {
    return this.open.reduce((sum, held) => (held.subjects.includes(subject) ? sum + held.amount : sum), 0n);
  }
  has(limit: bigint | null, subject: string, amount: bigint): boolean {
    return limit === null || this.usage(subject) + this.held(subject) + amount <= limit;
  }
}

function budgetsOf({ ids: named, limit }: Asked): HoldBudget[] {
  return named.map((id) => ({ id, limit: limit ?? LIMITS[id] ?? null, limitReset: null, isKept: true }));
}

/** Holds, and compares: refused exactly when one of the bounds has no room, and named by the first of them. */
async function hold(ledger: Ledger, books: Books, { asked, holdId }: { asked: Asked; holdId: string }): Promise<void> {
  const budgets = budgetsOf(asked);
  const acceptableAmounts = asked.smaller && asked.amount > 1n ? [asked.amount / 2n] : [];
  const fits = (wanted: bigint) =>
    books.has(asked.keyLimit, asked.key, wanted) &&
    budgets.every(({ id, limit }) => books.has(limit, id, wanted)) &&
    books.has(CREDITS, 'acme', wanted);
  const wishes = [asked.amount, ...acceptableAmounts];
  const fitting = wishes.find(fits);
  const { key: keyId, keyLimit } = asked;
  const result = await ledger.hold(
    holdOf({ holdId, keyId, keyLimit, amount: asked.amount, acceptableAmounts, budgets }),
  );
  if (fitting !== undefined) {
    assert.deepEqual({ ...result }, { status: 'held', amount: fitting });
    books.open.push({ holdId, subjects: ['acme', keyId, ...asked.ids], amount: fitting });
    return;
  }
  const required = wishes.at(-1) ?? 0n;
  const full = budgets.find(({ id, limit }) => !books.has(limit, id, required))?.id;
  const refused = 'by' in result ? [result.by, 'budget' in result ? result.budget : undefined] : [];
  if (!books.has(keyLimit, keyId, required)) assert.deepEqual(refused, ['key_limit', undefined]);
  else assert.deepEqual(refused, full === undefined ? ['organization_credits', undefined] : ['budget', full]);
}

async function play({ ledger }: LedgerUnderTest, steps: readonly Step[]): Promise<void> {
  const books = new Books();
  await ledger.grant(grantOf({ amount: CREDITS }));
  for (const [index, each] of steps.entries()) {
    if (each.does === 'hold') await hold(ledger, books, { asked: each, holdId: `hold-${index}` });
    else if (each.does === 'adjust') {
      await ledger.adjust(adjustmentOf({ adjustmentId: `step-${index}`, amount: each.amount, budgets: each.ids }));
      books.use(['acme', ...each.ids], each.amount);
    } else {
      const [ended] = books.open.splice(each.hold % Math.max(1, books.open.length), 1);
      if (ended === undefined) continue;
      if (each.does === 'settle') {
        await ledger.settle(ended.holdId, chargeOf({ cost: each.amount }));
        books.use(ended.subjects, each.amount);
      } else await ledger.release(ended.holdId, RELEASE);
    }
  }
  await assertOrganization(ledger, { credits: CREDITS, usage: books.usage('acme'), held: books.held('acme') });
  for (const id of KEYS) await assertKey(ledger, { usage: books.usage(id), held: books.held(id) }, id);
  const named = Object.keys(LIMITS);
  const totals = await ledger.budgetTotals(
    'acme',
    named.map((id) => ({ id, limitReset: null })),
  );
  for (const [index, id] of named.entries()) {
    const { usage, held } = totals[index] ?? {};
    assert.deepEqual({ usage, held }, { usage: books.usage(id), held: books.held(id) }, `totals of ${id}`);
  }
  const sums = new Map((await ledger.usage({ by: 'budget' })).map((row) => [row.group, row.charged + row.adjusted]));
  for (const id of named) assert.equal(sums.get(id) ?? 0n, books.usage(id), `sums of ${id}`);
}

/** Random histories of calls with up to four budgets. */
export function registerBudgetHistories({ property, supports }: LedgerSuite): void {
  property('refuses a call exactly when one of its budgets has no room', async ({ runs, withLedger }) => {
    const histories = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), (steps) =>
      withLedger(async (under) => {
        await play(under, steps);
        if (supports.removal === true) assert.deepEqual((await under.removal?.audit())?.differences, []);
      }),
    );
    await fc.assert(histories, { numRuns: runs });
  });
}
