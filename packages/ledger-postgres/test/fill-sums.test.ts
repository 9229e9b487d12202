import { readFileSync } from 'node:fs';
import {
  addEntry,
  dateOfDay,
  type Ledger,
  type LedgerEntry,
  type LedgerError,
  type MutableSums,
  noUsage,
  type UsageDimensions,
  type UsageGroup,
  type UsageRow,
  usageDimensionsOf,
} from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresLedger, PostgresPool } from '../src/index.js';
import { chargeOf, grantOf, holdOf, LOSS } from './requests.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

const VERSION_7 = readFileSync(new URL('fixtures/version-7.sql', import.meta.url), 'utf8');
const NOW_MS = Date.UTC(2026, 10, 19);
const FIRST_MS = Date.UTC(2026, 7, 20);
/** Several slices of the migration. */
const OLD_ENTRIES = 9_000;
/** So that the entries are of 83 days in four months. */
const STEP_MS = 800_000;
const GROUPS: readonly UsageGroup[] = ['organization', 'key', 'model', 'tag', 'day'];

/** A log of every kind of entry, of seven organizations with two keys each, and the counters that follow from it: as version 7 would have written them. */
const OLD_LOG = `
INSERT INTO searchgate.entries (at_ms, kind, id, organization_id, key_id, amount, note, model, provider, cost_source, late, reason, upstream_cost)
  SELECT ${FIRST_MS} + n::int8 * ${STEP_MS}, kind, 'old-' || n, 'organization-' || n % 7, CASE WHEN kind <> 'grant' THEN 'old-key-' || n % 14 END,
    CASE kind WHEN 'grant' THEN 100000 WHEN 'adjustment' THEN n % 200 - 100 ELSE n % 11 END,
    CASE WHEN kind IN ('grant', 'adjustment') THEN '' END, CASE WHEN kind NOT IN ('grant', 'adjustment') THEN 'exa/model-' || n % 3 END,
    CASE WHEN kind IN ('charge', 'loss') THEN 'exa' END, CASE kind WHEN 'charge' THEN (ARRAY['flat', 'cached', 'shared', 'held'])[n % 4 + 1] END,
    CASE kind WHEN 'charge' THEN n % 5 = 0 END, CASE kind WHEN 'loss' THEN 'failed' END, CASE WHEN kind = 'charge' AND n % 2 = 0 THEN n % 7 END
  FROM generate_series(1, ${OLD_ENTRIES}) n,
    LATERAL (SELECT CASE n % 50 WHEN 0 THEN 'grant' WHEN 1 THEN 'adjustment' WHEN 2 THEN 'expired' WHEN 3 THEN 'loss' ELSE 'charge' END AS kind) k;
INSERT INTO searchgate.organization_balances (organization_id, credits, usage, latest_entry_ms, forget_at_ms)
  SELECT organization_id, coalesce(sum(amount) FILTER (WHERE kind = 'grant'), 0), coalesce(sum(amount) FILTER (WHERE kind IN ('charge', 'adjustment')), 0),
    max(at_ms), NULL
  FROM searchgate.entries WHERE id LIKE 'old-%' GROUP BY organization_id;
INSERT INTO searchgate.key_usages (key_id, usage, latest_entry_ms, usage_before_day, usage_before_week, usage_before_month, forget_at_ms)
  SELECT key_id, sum(amount), max(latest), coalesce(sum(amount) FILTER (WHERE at_ms < searchgate.day_of(latest)), 0),
    coalesce(sum(amount) FILTER (WHERE at_ms < searchgate.week_of(latest)), 0),
    coalesce(sum(amount) FILTER (WHERE at_ms < searchgate.month_of(latest)), 0), NULL
  FROM (
    SELECT *, max(at_ms) OVER (PARTITION BY key_id) AS latest FROM searchgate.entries
    WHERE id LIKE 'old-%' AND kind IN ('charge', 'adjustment') AND key_id IS NOT NULL
  ) e GROUP BY key_id;`;

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  const client = await database.otherPool().connect();
  await client.query(VERSION_7);
  client.release(true);
  await database.run(OLD_LOG);
});

afterEach(() => database.drop());

function openLedger(pool: PostgresPool = database.otherPool()): PostgresLedger {
  return database.ledger({ pool, clock: createFakeClock(NOW_MS) });
}

async function allEntries(ledger: Ledger): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await ledger.entries({ limit: 1_000, ...(cursor != null && { cursor }) });
    entries.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return entries;
}

function groupOf(by: UsageGroup, of: UsageDimensions): string {
  if (by === 'organization') return of.organizationId;
  return { key: of.keyId, model: of.model, tag: of.tag, day: dateOfDay(of.day) }[by];
}

/** What entries add up to. Ids here are ASCII, whose code units are in the order of their bytes. */
function usageOf(by: UsageGroup, entries: readonly LedgerEntry[]): UsageRow[] {
  const groups = new Map<string, MutableSums>();
  for (const entry of entries) {
    const of = usageDimensionsOf(entry);
    if (of === undefined) continue;
    const group = groupOf(by, of);
    const sums = groups.get(group) ?? noUsage();
    groups.set(group, sums);
    addEntry(sums, entry);
  }
  const names = [...groups.keys()].filter((name) => name !== '').sort();
  if (groups.has('')) names.push('');
  return names.map((name) => ({ group: name === '' ? null : name, ...(groups.get(name) ?? noUsage()) }));
}

async function expectSumsOfLog(ledger: PostgresLedger): Promise<void> {
  const entries = await allEntries(ledger);
  const range = { fromDay: Math.floor(FIRST_MS / 86_400_000) + 5, toDay: Math.floor(NOW_MS / 86_400_000) - 11 };
  const within = entries.filter(({ atMs }) => {
    const day = Math.floor(atMs / 86_400_000);
    return day >= range.fromDay && day < range.toDay;
  });
  for (const by of GROUPS) {
    expect(await ledger.usage({ by, limit: 1_000 })).toEqual(usageOf(by, entries));
    expect(await ledger.usage({ by, limit: 1_000, ...range })).toEqual(usageOf(by, within));
  }
  expect((await ledger.audit()).differences).toEqual([]);
}

/** Charges until it has to stop, as soon as the schema is new. @returns how many entries were written. */
async function writeUntil(isDone: () => boolean): Promise<number> {
  const ledger = openLedger();
  let written = 0;
  for (let index = 0; !isDone() || written === 0; index += 1) {
    const holdId = `new-${index}`;
    const owner = { organizationId: `organization-${index % 7}`, keyId: `old-key-${index % 14}`, tag: 'new' };
    try {
      await ledger.hold(holdOf({ holdId, ...owner, expiresAtMs: NOW_MS + 60_000 }));
      await ledger.settle(holdId, chargeOf({ losses: [LOSS] }));
      written += 2;
    } catch (error) {
      if ((error as LedgerError).reason !== 'schema_mismatch') throw error;
    }
  }
  return written;
}

/** A pool whose process dies when it asks for the third slice of something: a function of the schema, or an operation of `apply_write`. */
function dyingPool(pool: PostgresPool, name: string): PostgresPool {
  let asked = 0;
  return {
    async connect() {
      const client = await pool.connect();
      return {
        async query(query) {
          const isSlice = query.text.includes(name) || query.values?.[0] === name;
          if (isSlice && (asked += 1) === 3) throw new TypeError('the process has died');
          return client.query(query);
        },
        release: (error) => client.release(error),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
  };
}

describe('the sums of a log that is older than they are', { timeout: 30_000 }, () => {
  it('are filled while another process writes', async () => {
    let done = false;
    const writing = writeUntil(() => done);
    const ledger = openLedger();
    await ledger.migrate().finally(() => (done = true));
    const written = await writing;
    expect(await allEntries(ledger)).toHaveLength(6 + OLD_ENTRIES + written);
    await expectSumsOfLog(ledger);
  });

  it('are filled once by several processes that migrate at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => openLedger().migrate()));
    await expectSumsOfLog(openLedger());
  });

  it('are refused until they are filled, with what needs them, while all else works', async () => {
    const dying = openLedger(dyingPool(database.otherPool(), 'fill_sums'));
    await expect(dying.migrate()).rejects.toThrow('the process has died');
    const [row] = await database.run('SELECT count(*)::int4 AS sums FROM searchgate.usage_sums');
    expect(row?.['sums']).toBeGreaterThan(0);

    const ledger = openLedger();
    const mismatch = { reason: 'schema_mismatch', message: expect.stringContaining('not filled yet') as string };
    await expect(ledger.usage({ by: 'day' })).rejects.toMatchObject(mismatch);
    await expect(ledger.audit()).rejects.toMatchObject(mismatch);
    const { nextCursor } = await ledger.entries();
    await expect(ledger.removeEntries(nextCursor ?? '')).rejects.toMatchObject(mismatch);
    expect(await ledger.grant(grantOf({ grantId: 'while-filling' }))).toEqual({ applied: true });
    expect(await allEntries(ledger)).toHaveLength(6 + OLD_ENTRIES + 1);

    await ledger.migrate();
    await expectSumsOfLog(ledger);
  });

  it('outlive the entries, also where their removal stops half-way', async () => {
    const ledger = openLedger();
    await ledger.migrate();
    const entries = await allEntries(ledger);
    let cursor: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      ({ nextCursor: cursor } = await ledger.entries({ limit: 900, ...(cursor !== null && { cursor }) }));
    }
    const kept = entries.filter(({ kind }, index) => index >= 4_500 || kind === 'grant' || kind === 'adjustment');
    const dying = openLedger(dyingPool(database.otherPool(), 'remove_entries'));
    await expect(dying.removeEntries(cursor ?? '')).rejects.toThrow('the process has died');
    const half = await ledger.audit();
    expect(half.differences).toEqual([]);
    expect(half.entries).toBeLessThan(entries.length);
    expect(half.entries).toBeGreaterThan(kept.length);

    expect(await ledger.removeEntries(cursor ?? '')).toBe(half.entries - kept.length);
    expect(await allEntries(ledger)).toEqual(kept);
    expect(await ledger.audit()).toMatchObject({ entries: kept.length, differences: [] });
    for (const by of GROUPS) expect(await ledger.usage({ by, limit: 1_000 })).toEqual(usageOf(by, entries));
  });
});
