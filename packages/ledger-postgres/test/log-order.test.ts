import type { Ledger } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import type { PostgresPool } from '../src/index.js';
import { migratedDatabase } from './migrated-database.js';
import { someoneWaits, startWriter } from './other-writer.js';
import { grantOf } from './requests.js';
import { poolThrough } from './watched-pool.js';

const database = migratedDatabase();

/** A writer that has its place in the log but is not committed until told: what another process may be at any moment. */
const startGrant = (id: string) =>
  startWriter(database(), { operation: 'grant', id, organization_id: id, amount: '1', note: '' });

async function grant(ledger: Ledger, grantId: string): Promise<void> {
  await ledger.grant(grantOf({ grantId, organizationId: grantId }));
}

async function page(ledger: Ledger, cursor?: string | null) {
  const { entries, nextCursor } = await ledger.entries({ limit: 2, ...(cursor != null && { cursor }) });
  return { ids: entries.map(({ id }) => id), nextCursor };
}

/** Does something after each statement that waits for the writers, before the page is read. */
const pausedPool = (pool: PostgresPool, afterWait: () => Promise<void>) =>
  poolThrough(pool, async (query, run) => {
    const answer = await run(query);
    if (query.text.includes('settle_log')) await afterWait();
    return answer;
  });

describe('a walk over the whole log', () => {
  it('waits for a writer that is under way, since what it writes comes before what others have committed since', async () => {
    const ledger = database().ledger();
    const early = await startGrant('early');
    await grant(ledger, 'late');
    const reading = page(ledger);
    await someoneWaits(database());
    await early.commit();
    expect((await reading).ids).toEqual(['early', 'late']);
  });

  it('waits again where a page reaches what has been written since the first wait', async () => {
    const ledger = database().ledger();
    for (const id of ['a', 'b', 'c']) await grant(ledger, id);
    const first = await page(ledger);
    const early = await startGrant('early');
    await grant(ledger, 'late');
    const second = page(ledger, first.nextCursor);
    await someoneWaits(database());
    await early.commit();
    const { ids, nextCursor } = await second;
    const third = await page(ledger, nextCursor);
    expect([first.ids, ids, third.ids]).toEqual([['a', 'b'], ['c', 'early'], ['late']]);
    expect(third.nextCursor).toBeNull();
  });

  it('does not wait where a page ends before that', async () => {
    const ledger = database().ledger();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await grant(ledger, id);
    const first = await page(ledger);
    const early = await startGrant('early');
    expect((await page(ledger, first.nextCursor)).ids).toEqual(['c', 'd']);
    await early.commit();
  });

  it('leaves for the next page what is written between the wait and the reading', async () => {
    const writer = database().ledger();
    await grant(writer, 'a');
    let early: Awaited<ReturnType<typeof startGrant>> | undefined;
    const pool = pausedPool(database().pool, async () => {
      if (early !== undefined) return;
      early = await startGrant('early');
      await grant(writer, 'late');
    });
    const ledger = database().ledger({ pool });
    const first = await page(ledger);
    expect(first).toEqual({ ids: ['a'], nextCursor: expect.any(String) as string });
    await early?.commit();
    expect(await page(ledger, first.nextCursor)).toEqual({ ids: ['early', 'late'], nextCursor: null });
  });

  it('neither waits nor skips for an organization, whose entries are written one after the other', async () => {
    const ledger = database().ledger();
    await grant(ledger, 'acme');
    const early = await startGrant('globex');
    expect((await ledger.entries({ organizationId: 'acme' })).entries).toHaveLength(1);
    await early.commit();
  });
});
