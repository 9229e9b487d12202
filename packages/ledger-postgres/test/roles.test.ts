import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { auditRecordAt } from '@searchgate/testing';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../src/engine/database.js';
import { readPostgresLedgerOptions } from '../src/postgres-ledger-options.js';
import { migrate } from '../src/schema/migrate.js';
import { MIGRATIONS, SCHEMA_VERSION } from '../src/schema/migrations.js';
import { ALL_SUMS, adjustmentOf, chargeOf, grantOf, holdOf, keyOf, LOGGED, LOSS, sealedOf, TEXT } from './requests.js';
import { createTestDatabase, type TestDatabase, tenantKeysOf } from './test-database.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
/** Roles belong to all databases of a server. */
const suffix = randomBytes(6).toString('hex');
const owner = `searchgate_owner_${suffix}`;
const service = `searchgate_service_${suffix}`;
const archive = `searchgate_archive_${suffix}`;
const ROLES = [owner, service, archive];

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  for (const role of ROLES) await database.run(`CREATE ROLE ${role}`);
  const [row] = await database.run('SELECT current_database() AS name');
  await database.run(`GRANT CREATE ON DATABASE ${String(row?.['name'])} TO ${owner}`);
});

afterEach(async () => {
  for (const role of ROLES) {
    await database.run(`DROP OWNED BY ${role} CASCADE`);
    await database.run(`DROP ROLE ${role}`);
  }
  await database.drop();
});

/** Connections with the rights of a role. */
function poolOf(role: string): pg.Pool {
  const pool = database.otherPool();
  Object.assign(pool.options, { options: `-c role=${role}` });
  return pool;
}

/** What the README tells the owner of the schema to run: for the service, or for the role that removes old entries. */
function documentedGrants(role: 'searchgate_service' | 'searchgate_archive'): string {
  const blocks = [...README.matchAll(/```sql\n(GRANT[\s\S]*?)```/g)].map(([, grants = '']) => grants);
  const own = blocks.filter((grants) => grants.includes(role)).join('');
  return own.replaceAll('searchgate_service', service).replaceAll('searchgate_archive', archive);
}

describe('a role with no more rights than the README grants', () => {
  beforeEach(async () => {
    const pool = poolOf(owner);
    await database.ledger({ pool }).migrate();
    await pool.query(documentedGrants('searchgate_service'));
  });

  it('runs the service: every operation, and a migration that finds nothing left to do', async () => {
    const ledger = database.ledger({ pool: poolOf(service), endedHoldRetentionMs: 0 });
    await ledger.migrate();
    await ledger.grant(grantOf());
    await ledger.adjust(adjustmentOf({ keyId: 'key-1' }));
    const budgets = [{ id: 'team:research', limit: 100n, limitReset: 'monthly', isKept: false } as const];
    for (const holdId of ['settled', 'released']) await ledger.hold(holdOf({ holdId, tag: 'team-1', budgets }));
    await ledger.hold(holdOf({ holdId: 'expired', expiresAtMs: Date.now() - 60_000 }));
    await ledger.settle('settled', chargeOf({ losses: [LOSS], tenantCost: 3n }));
    await ledger.release('released', { reason: 'upstream_timeout' });
    const rate = { organizationId: 'acme', keyId: 'key-2', keyRateLimit: { requests: 1_000, periodMs: 1_000 } };
    expect(await ledger.admit(rate)).toMatchObject({ status: 'admitted' });
    expect(await ledger.hold(holdOf({ holdId: 'refused', keyId: 'key-3', keyLimit: 0n }))).toMatchObject({
      status: 'refused',
    });
    expect(await ledger.expireHolds(Date.now())).toBe(1);
    await ledger.expireHolds(Date.now());
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 12n, held: 0n });
    expect((await ledger.keyTotals('key-1', 'daily')).windowUsage).toBe(12n);
    expect((await ledger.entries()).entries).toHaveLength(5);
    expect(await ledger.usage({ by: 'tag' })).toMatchObject([
      { group: 'team-1', charged: 7n },
      { group: null, adjusted: 5n },
    ]);
    expect(await ledger.findHold('unknown')).toBeUndefined();
    expect((await ledger.budgetTotals('acme', budgets))[0]?.windowUsage).toBe(7n);

    const { apiKeys, idempotency } = ledger;
    await apiKeys.insertKey(keyOf());
    const set = { organizationId: 'acme', id: 'team:research', limit: 1n, limitReset: null, mode: 'warn' } as const;
    await apiKeys.setBudget({ ...set, createdAtMs: 1 });
    await apiKeys.updateKey('key-1', { label: 'changed', budgets: ['team:research'] });
    await apiKeys.updateKey('key-1', { budgets: [] });
    expect(await apiKeys.deleteBudget('acme', 'team:research')).toBe(true);
    await apiKeys.insertOrganization({ id: 'globex', name: null, createdAtMs: 1, suspendedAtMs: null });
    await apiKeys.updateOrganization('globex', { name: 'Globex' });
    expect(await apiKeys.findByHash('a'.repeat(64))).toMatchObject({ label: 'changed' });
    expect((await apiKeys.listOrganizations()).items).toHaveLength(2);
    const tenantKeys = tenantKeysOf(ledger);
    await tenantKeys.put(sealedOf());
    expect(await tenantKeys.put(sealedOf({ sealed: 'v1.two' }), 'v1.one')).toBe(true);
    expect(await tenantKeys.list('acme')).toEqual([sealedOf({ sealed: 'v1.two' })]);
    expect(await tenantKeys.delete('acme', 'exa')).toBe(true);
    const claim = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'a'.repeat(64) };
    const times = { nowMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
    await idempotency.claim({ ...claim, ...times });
    expect(await idempotency.free(claim)).toBe(true);
    for (const requestId of ['req_1', 'req_2'])
      await ledger.requests.append([{ ...LOGGED, requestId, budgets: ['team:research'] }]);
    expect((await ledger.requests.find({}, { limit: 10 })).rows).toHaveLength(2);
    const spans = { of: 'calls', step: 'day', by: ['model'], sinceMs: 0, untilMs: Date.now() } as const;
    expect(await ledger.requests.statistics(spans)).toMatchObject([{ model: 'exa/answer', count: 2, cost: 10n }]);
    expect(await ledger.requests.eraseBudget('acme', 'team:research')).toBe(2);
    const { texts } = ledger.requests;
    for (const requestId of ['req_1', 'req_2', 'req_3']) await texts.append([{ ...TEXT, requestId }]);
    expect(await texts.erase({ organizationId: 'acme', keyId: 'other' })).toBe(0);
    expect(await ledger.requests.erase(LOGGED.organizationId)).toBe(2);
    expect(await texts.find(['req_1', 'req_3'])).toHaveLength(1);
    expect([await texts.prune(Date.now()), await texts.prune(Date.now())]).toEqual([1, 0]);
    expect(await ledger.requests.prune({ beforeMs: Date.now(), maxRows: 10, ...ALL_SUMS })).toBe(0);
    await ledger.changes.append(auditRecordAt(0));
    expect((await ledger.changes.find({}, { limit: 10 })).records).toEqual([auditRecordAt(0)]);
    expect(await ledger.changes.erase('acme')).toBe(1);
    const instance = { id: 'a', name: 'host 7', startedAtMs: 1, seenAtMs: 2 };
    expect(await ledger.instances.beat(instance)).toMatchObject([instance]);
    await ledger.expireHolds(Date.now());
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('may use what a newer package has migrated as before', async () => {
    const owning = createDatabase(readPostgresLedgerOptions({ pool: poolOf(owner) }));
    const step = 'CREATE TABLE of_the_future (id text)';
    const tables = { of_the_future: 'key_usages' };
    await migrate(owning, [...MIGRATIONS, { step, readableFrom: SCHEMA_VERSION, tables }]);
    await poolOf(service).query(`INSERT INTO searchgate.of_the_future VALUES ('new')`);
    await database.ledger({ pool: poolOf(service) }).grant(grantOf());
    const views = [SCHEMA_VERSION, SCHEMA_VERSION + 1].map((version) => `SELECT FROM searchgate.version_${version}`);
    for (const view of views) expect((await poolOf(service).query(view)).rowCount).toBe(1);
    await expect(poolOf(archive).query(String(views[1]))).rejects.toMatchObject({ code: '42501' });
  });

  it('leaves the removal of old entries to a role that the README grants it to', async () => {
    const ledger = database.ledger({ pool: poolOf(service) });
    await ledger.grant(grantOf());
    await ledger.hold(holdOf());
    await ledger.settle('hold-1', chargeOf({ losses: [LOSS] }));
    const { nextCursor } = await ledger.entries({ limit: 2 });
    await expect(ledger.removeEntries(nextCursor ?? '')).rejects.toMatchObject({ code: '42501' });
    await poolOf(owner).query(documentedGrants('searchgate_archive'));
    const archiver = database.ledger({ pool: poolOf(archive) });
    expect(await archiver.removeEntries(nextCursor ?? '')).toBe(1);
    expect((await archiver.audit()).differences).toEqual([]);
    expect((await archiver.entries()).entries).toHaveLength(2);
    await expect(poolOf(archive).query('UPDATE searchgate.entries SET amount = 0')).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('changes neither what is written in the log nor the schema', async () => {
    const pool = poolOf(service);
    const statements = [
      'UPDATE searchgate.entries SET amount = 0',
      'DELETE FROM searchgate.entries',
      'TRUNCATE searchgate.entries',
      'DELETE FROM searchgate.organization_balances',
      'DELETE FROM searchgate.api_keys',
      'DELETE FROM searchgate.budget_usages',
      'UPDATE searchgate.schema_version SET version = 99',
      'CREATE TABLE searchgate.mine (n int)',
      'DROP TABLE searchgate.entries',
    ];
    for (const statement of statements) await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

it('refuses to migrate with the error of the server where a role has no right to make the schema', async () => {
  const ledger = database.ledger({ pool: poolOf(service) });
  await expect(ledger.migrate()).rejects.toMatchObject({ code: '42501' });
});
