import type { EntryQuery, Ledger, LedgerEntry } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

const database = migratedDatabase();
const ORGANIZATIONS = 12;

async function walk(ledger: Ledger, query: EntryQuery): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ledger.entries({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    entries.push(...page.entries);
    cursor = page.nextCursor;
  }
  return entries;
}

/** Two processes that write for many organizations, until the body has ended. @param body may be run more than once. */
async function whileWriting(body: () => Promise<void>): Promise<void> {
  let stopped = false;
  let written = 0;
  const ledgers = [database().ledger(), database().ledger({ pool: database().otherPool() })];
  for (let index = 0; index < ORGANIZATIONS; index += 1) {
    const grant = grantOf({ grantId: `grant-${index}`, organizationId: `org-${index}`, amount: 10n ** 9n });
    await ledgers[0]?.grant(grant);
  }
  const writing = ledgers.flatMap((ledger, process) =>
    Array.from({ length: ORGANIZATIONS }, async (_, number) => {
      const organizationId = `org-${number}`;
      for (let index = 0; !stopped; index += 1) {
        const adjustmentId = `adjustment-${process}-${number}-${index}`;
        await ledger.adjust(adjustmentOf({ adjustmentId, organizationId, keyId: `key-${number % 3}` }));
        written += 1;
      }
    }),
  );
  try {
    await expect.poll(() => written).toBeGreaterThan(100);
    const before = written;
    // Again where nothing was written during it: that would have shown nothing.
    do await body();
    while (written === before);
  } finally {
    stopped = true;
    await Promise.all(writing);
  }
}

/** What a reader gets once all writers have ended, cut where an earlier walk ended. */
function upTo(entries: readonly LedgerEntry[], last: LedgerEntry | undefined): string[] {
  const ids = entries.map(({ id }) => id);
  return ids.slice(0, ids.indexOf(last?.id ?? '') + 1);
}

describe('entries, while two processes write for many organizations', () => {
  it.each<[string, EntryQuery]>([
    ['the whole log', { limit: 7 }],
    ['an organization', { organizationId: 'org-3', limit: 3 }],
    ['a key of several organizations', { keyId: 'key-1', limit: 5 }],
  ])('neither skips nor repeats in a walk over %s', async (_name, query) => {
    const reader = database().ledger({ pool: database().otherPool() });
    const walks: LedgerEntry[][] = [];
    await whileWriting(async () => {
      // A walk ends when it has caught up with the writers, so each walk begins further on.
      for (let round = 0; round < 3; round += 1) {
        const fromMs = walks.at(-1)?.at(-1)?.atMs ?? 0;
        const entries = await walk(reader, { ...query, limit: 200, fromMs });
        walks.push(entries);
        const small = await reader.entries({ ...query, fromMs });
        expect(small.entries.length).toBeGreaterThan(0);
      }
    });
    for (const seen of walks) {
      const everything = await walk(reader, { ...query, limit: 1_000, fromMs: seen[0]?.atMs ?? 0 });
      expect(seen.map(({ id }) => id)).toEqual(upTo(everything, seen.at(-1)));
    }
  });

  it('shows a reader of the whole log what was acknowledged before', async () => {
    const ledger = database().ledger();
    await whileWriting(async () => {
      for (let index = 0; index < 8; index += 1) {
        const grantId = `mine-${index}`;
        await ledger.grant(grantOf({ grantId, organizationId: 'mine', amount: 1n }));
        const fromMs = (await ledger.entries({ organizationId: 'mine', limit: 1_000 })).entries.at(-1)?.atMs ?? 0;
        expect((await walk(ledger, { fromMs, limit: 1_000 })).map(({ id }) => id)).toContain(grantId);
      }
    });
  });
});

describe('expireHolds', () => {
  it('ends 450 holds of 30 organizations once each while two processes sweep and others hold and settle', async () => {
    const ledger = database().ledger();
    const other = database().ledger({ pool: database().otherPool() });
    const organizations = Array.from({ length: 30 }, (_, index) => `org-${index}`);
    await Promise.all(
      organizations.map((organizationId) => ledger.grant(grantOf({ grantId: organizationId, organizationId }))),
    );
    const place = (holdId: string, expiresAtMs: number, index: number) =>
      ledger.hold(holdOf({ holdId, organizationId: `org-${index % 30}`, keyId: `key-${index % 7}`, expiresAtMs }));
    const due = Array.from({ length: 450 }, (_, index) => `due-${index}`);
    await Promise.all(due.map((holdId, index) => place(holdId, Date.now() - 60_000, index)));
    const open = Array.from({ length: 60 }, (_, index) => `open-${index}`);
    await Promise.all(open.map((holdId, index) => place(holdId, Date.now() + 600_000, index)));

    const sweeps = [ledger, other, ledger, other].map((each) => each.expireHolds(Date.now()));
    await Promise.all(open.map((holdId) => other.settle(holdId, chargeOf())));
    const counts = await Promise.all(sweeps);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(450);
    expect(await ledger.audit()).toMatchObject({ entries: 30 + 450 + 60, openHolds: 0, differences: [] });
  });
});
