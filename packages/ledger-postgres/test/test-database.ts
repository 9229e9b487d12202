import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Clock, TenantKeyStore } from '@searchgate/core/ledger';
import pg from 'pg';
import { inject } from 'vitest';
import { type PostgresLedger, type PostgresLedgerOptions, postgresLedger } from '../src/index.js';

/** A database of a test file's own, with connections as one process of a host has them. */
export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** A ledger, by default on {@link pool}. */
  ledger(options?: Partial<PostgresLedgerOptions>): PostgresLedger;
  /** Connections of another process. */
  otherPool(): pg.Pool;
  /** Runs a statement behind the ledger's back. */
  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Every row a ledger wrote. */
  dump(): Promise<string>;
  /** Removes every row a ledger wrote, which is far quicker than a new schema. */
  empty(): Promise<void>;
  /** Cuts the connections of {@link pool} off and replaces it, as when its process dies and starts again. */
  cutOff(): Promise<void>;
  drop(): Promise<void>;
}

const TABLES = `
  organization_balances key_usages budget_usages holds entries usage_sums removed_of_organizations removed_of_keys removed_of_budgets claims budgets
  api_keys organizations tenant_keys requests request_sums pending_sums request_texts changes instances`
  .trim()
  .split(/\s+/);

export interface TestDatabaseOptions {
  /** Default: the server that the files of this project share. */
  readonly serverUrl?: string;
  /** What the addresses of connections go through. Default: nothing. */
  readonly through?: (url: string) => string;
  /** `default_transaction_isolation` of the database. Default `read committed`. */
  readonly isolation?: string;
}

export async function createTestDatabase({
  serverUrl = inject('postgresUrl'),
  through = (address) => address,
  isolation = 'read committed',
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const admin = newPool(serverUrl, 1);
  const name = `ledger_test_${randomBytes(8).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`);
  const url = through(Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href);
  const others: pg.Pool[] = [];
  let pool = newPool(url);

  return {
    url,
    get pool() {
      return pool;
    },
    ledger: (options = {}) => postgresLedger({ pool, ...options }),
    otherPool() {
      const other = newPool(url);
      others.push(other);
      return other;
    },
    async run(sql, values) {
      return (await pool.query<Record<string, unknown>>(sql, values)).rows;
    },
    async dump() {
      const rows = TABLES.map((table) => pool.query(`SELECT t::text AS row FROM searchgate.${table} t`));
      return (await Promise.all(rows)).map((result) => JSON.stringify(result.rows)).join('\n');
    },
    async empty() {
      await pool.query(TABLES.map((table) => `DELETE FROM searchgate.${table};`).join(''));
    },
    async cutOff() {
      const dead = pool;
      pool = newPool(url);
      await dead.end();
    },
    async drop() {
      await Promise.all([pool, ...others].map((open) => open.end()));
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** The listener is what every host must have: without it, an idle connection that is lost ends the process. */
function newPool(connectionString: string, max = 10): pg.Pool {
  return new pg.Pool({ connectionString, max }).on('error', () => {});
}

/** The vendor keys of organizations, which every ledger of PostgreSQL keeps. */
export function tenantKeysOf({ tenantKeys }: PostgresLedger): TenantKeyStore {
  assert.ok(tenantKeys);
  return tenantKeys;
}

/** Handles of one ledger: in this process, which may end, and in another. Disposing of them removes what they wrote. */
export function handlesOf(database: TestDatabase, otherPool: pg.Pool, clock?: Clock) {
  const opened: PostgresLedger[] = [];
  const open = (pool = database.pool) => {
    const ledger = database.ledger({ pool, ...(clock && { clock }) });
    opened.push(ledger);
    return ledger;
  };
  return {
    ledger: open(),
    connect: async () => open(otherPool),
    async reopen() {
      await database.cutOff();
      return open();
    },
    async dispose() {
      await Promise.all(opened.map((ledger) => ledger.close()));
      await database.empty();
    },
  };
}
