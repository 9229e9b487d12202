import { describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresPool, PostgresQuery, PostgresRows } from '../src/index.js';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, keyOf, LOSS } from './requests.js';
import { poolThrough } from './watched-pool.js';

const database = migratedDatabase();
/** Every way an operation may get through at last. */
const JOURNEYS: readonly (readonly Loss[])[] = [['request'], ['answer'], ['request', 'answer', 'answer']];
const KEY = keyOf({ limit: 5n, allowedModels: ['exa/answer'] });
const CLAIM = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'b'.repeat(64) };

function start() {
  const pool: LossyPool = lossyPool(database().pool);
  onTestFinished(() => expect(pool.pending).toBe(0));
  return { pool, ledger: database().ledger({ pool }) };
}

describe.each(JOURNEYS.map((losses) => ({ losses })))('an operation sent again after $losses lost', ({ losses }) => {
  it('knows its own grant and its own adjustment', async () => {
    const { pool, ledger } = start();
    pool.lose('apply_operations', losses);
    expect(await ledger.grant(grantOf())).toEqual({ applied: true });
    pool.lose('apply_operations', losses);
    expect(await ledger.adjust(adjustmentOf())).toEqual({ applied: true });
    expect(await ledger.adjust(adjustmentOf())).toEqual({ applied: false });
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 5n, held: 0n });
  });

  it('knows its own hold from one another call made', async () => {
    const { pool, ledger } = start();
    await ledger.grant(grantOf());
    pool.lose('apply_operations', losses);
    // What is held of several amounts is known by the hold: there may be no more room for it when the call is sent again.
    const budgets = [{ id: 'team', limit: 900n, limitReset: null, isKept: true }];
    const several = holdOf({ amount: 2_000n, acceptableAmounts: [900n, 5n], budgets });
    expect(await ledger.hold(several)).toEqual({ status: 'held', amount: 900n });
    pool.lose('apply_operations', losses);
    await expect(ledger.hold(holdOf())).rejects.toMatchObject({ reason: 'duplicate_hold' });
    expect((await ledger.organizationTotals('acme')).held).toBe(900n);
    pool.lose('apply_operations', losses);
    expect(await ledger.settle('hold-1', chargeOf())).toMatchObject({ first: true });
    expect(await ledger.budgetTotals('acme', budgets)).toMatchObject([{ usage: 7n, held: 0n }]);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('counts its own hold once for a rate and for places', async () => {
    const { pool, ledger } = start();
    await ledger.grant(grantOf());
    pool.lose('apply_operations', losses);
    const limits = { keyRateLimit: { requests: 3, periodMs: 86_400_000 }, keyMaxConcurrent: 1 };
    const held = await ledger.hold(holdOf(limits));
    expect(held).toMatchObject({ status: 'held', amount: 10n, ratesUsed: { organization: null } });
    expect(held.ratesUsed?.key).toBeCloseTo(1, 3);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('counts a request that needs no hold once more for each answer that was lost', async () => {
    const { pool, ledger } = start();
    pool.lose('apply_operations', losses);
    const request = { organizationId: 'acme', keyId: 'key-1', keyRateLimit: { requests: 10, periodMs: 86_400_000 } };
    const { ratesUsed } = await ledger.admit(request);
    expect(ratesUsed?.key).toBeCloseTo(1 + losses.filter((lost) => lost === 'answer').length, 3);
  });

  it('ends a hold once and says that it was the first to', async () => {
    const { pool, ledger } = start();
    await ledger.grant(grantOf());
    for (const holdId of ['settled', 'released', 'late', 'released-late']) {
      const expiresAtMs = Date.now() + (holdId.endsWith('late') ? -60_000 : 60_000);
      await ledger.hold(holdOf({ holdId, expiresAtMs }));
    }
    await ledger.expireHolds(Date.now());
    pool.lose('apply_operations', losses);
    const charge = chargeOf({ losses: [LOSS] });
    expect(await ledger.settle('settled', charge)).toEqual({ status: 'settled', cost: 7n, first: true });
    pool.lose('apply_operations', losses);
    const released = await ledger.release('released', { reason: 'failed', losses: [LOSS] });
    expect(released).toEqual({ status: 'released', cost: 0n, first: true });
    pool.lose('apply_operations', losses);
    expect(await ledger.settle('late', charge)).toEqual({ status: 'settled', cost: 7n, first: true });
    expect((await ledger.settle('late', charge)).first).toBe(false);
    pool.lose('apply_operations', losses);
    const releasedLate = await ledger.release('released-late', { reason: 'failed', losses: [LOSS] });
    expect(releasedLate).toEqual({ status: 'released', cost: 0n, first: true });
    expect(await ledger.audit()).toMatchObject({ entries: 9, openHolds: 0, differences: [] });
  });

  it('knows its own key, organization and claims', async () => {
    const { pool, ledger } = start();
    pool.lose('insert_key', losses);
    await ledger.apiKeys.insertKey(KEY);
    const budget = {
      organizationId: 'acme',
      id: 'team',
      limit: 5n,
      limitReset: null,
      mode: 'warn',
      createdAtMs: 1,
    } as const;
    pool.lose('set_budget', losses);
    expect(await ledger.apiKeys.setBudget(budget)).toEqual(budget);
    pool.lose('update_key', losses);
    expect(await ledger.apiKeys.updateKey(KEY.id, { budgets: ['team'] })).toMatchObject({ budgets: ['team'] });
    pool.lose('insert_organization', losses);
    const organization = { id: 'globex', name: null, createdAtMs: 1, suspendedAtMs: null };
    expect(await ledger.apiKeys.insertOrganization(organization)).toBe(true);
    expect(await ledger.apiKeys.insertOrganization(organization)).toBe(false);
    const request = { ...CLAIM, nowMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
    pool.lose('apply_claims', losses);
    expect(await ledger.idempotency.claim(request)).toEqual({ status: 'claimed' });
    pool.lose('apply_claims', losses);
    expect(await ledger.idempotency.free(CLAIM)).toBe(true);
    expect(await ledger.idempotency.free(CLAIM)).toBe(false);
    await ledger.idempotency.claim(request);
    pool.lose('apply_claims', losses);
    const response = { status: 200, body: '{}' };
    expect(await ledger.idempotency.complete(CLAIM, response, Date.now() + 60_000)).toBe(true);
  });
});

describe('an operation whose connection stays broken', () => {
  it('gives up with the error of the driver, once for all that were sent with it', async () => {
    const { pool, ledger } = start();
    await ledger.grant(grantOf());
    const before = pool.sent;
    pool.lose(
      'apply_operations',
      Array.from({ length: 7 }, () => 'answer' as const),
    );
    const holds = ['hold-1', 'hold-2', 'hold-3'].map((holdId) => ledger.hold(holdOf({ holdId })));
    for (const outcome of await Promise.allSettled(holds)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ECONNRESET' } });
    }
    expect(pool.sent - before).toBe(7);
    // Asking again with the same id gives its outcome.
    await expect(ledger.hold(holdOf())).rejects.toMatchObject({ reason: 'duplicate_hold' });
    expect((await ledger.audit()).differences).toEqual([]);
  });
});

describe('a settle that travels in one batch with its own hold', () => {
  it('does not know it yet, and does no harm', async () => {
    const { ledger } = start();
    // While this one is on its way, the others wait for each other.
    const grant = ledger.grant(grantOf());
    const [held, early] = await Promise.allSettled([ledger.hold(holdOf()), ledger.settle('hold-1', chargeOf())]);
    expect(await grant).toEqual({ applied: true });
    expect(held).toEqual({ status: 'fulfilled', value: { status: 'held', amount: 10n } });
    expect(early).toMatchObject({ status: 'rejected', reason: { reason: 'unknown_hold' } });
    expect(await ledger.settle('hold-1', chargeOf())).toMatchObject({ status: 'settled', first: true });
  });
});

describe('an operation the engine chokes on', () => {
  it('fails alone, whatever travels with it', async () => {
    const { ledger } = start();
    await ledger.grant(grantOf());
    const ids = Array.from({ length: 20 }, (_, index) => `hold-${index}`);
    for (const holdId of ids) await ledger.hold(holdOf({ holdId }));
    // Only someone at the database could have written this.
    await database().run(`INSERT INTO searchgate.entries (at_ms, kind, id, organization_id, amount)
      VALUES (1, 'loss', 'hold-7.loss.1', 'acme', 0)`);
    const endings = await Promise.allSettled(ids.map((holdId) => ledger.settle(holdId, chargeOf({ losses: [LOSS] }))));
    expect(endings.map(({ status }) => status)).toEqual(ids.map((id) => (id === 'hold-7' ? 'rejected' : 'fulfilled')));
    expect(endings[7]).toMatchObject({ reason: { code: '23505' } });
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 133n, held: 10n });
  });
});

/** What happens to the next statements: they run, are lost on their way, or run and their answer is lost. */
type Loss = 'request' | 'answer';

interface LossyPool extends PostgresPool {
  /** Lets the next statements of this operation meet these losses, one each; then all is well again. */
  lose(operation: string, losses: readonly Loss[]): void;
  /** How many losses no statement has met yet. */
  readonly pending: number;
  /** How many statements were sent, lost ones too. */
  readonly sent: number;
}

/** A pool whose connections break at chosen moments, in the way the driver reports it. */
function lossyPool(pool: PostgresPool): LossyPool {
  let operation = '';
  let losses: Loss[] = [];
  let sent = 0;

  async function send(
    query: PostgresQuery,
    run: (query: PostgresQuery) => Promise<PostgresRows>,
  ): Promise<PostgresRows> {
    sent += 1;
    const loss = query.values?.[0] === operation ? losses.shift() : undefined;
    if (loss === 'request') throw brokenConnection();
    const rows = await run(query);
    if (loss === 'answer') throw brokenConnection();
    return rows;
  }

  return {
    ...poolThrough(pool, send),
    lose(ofOperation, nextLosses) {
      operation = ofOperation;
      losses = [...nextLosses];
    },
    get pending() {
      return losses.length;
    },
    get sent() {
      return sent;
    },
  };
}

function brokenConnection(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}
