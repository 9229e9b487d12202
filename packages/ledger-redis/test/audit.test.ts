import type { AuditDifference } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, type OpenLedger, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason({ ownServer: true });
const DAY_MS = 86_400_000;

type Counter = AuditDifference['counter'];
const OF_KEY: readonly Counter[] = ['usage', 'day', 'week', 'month', 'sums'];
const BOOKS = { organization: 'org-counters', key: 'key-counters', budget: 'key-counters' } as const;

/** Where a counter stands in a book, what is written there with a console, and what the audit has to say to it. */
type Tampering = readonly [
  subject: keyof typeof BOOKS,
  id: string,
  place: number,
  text: string,
  finds: readonly Counter[],
  counted: bigint,
  recomputed: bigint,
];

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'credits of an organization': ['organization', 'acme', 4, '101', ['credits'], 101n, 100n],
  'usage of an organization': ['organization', 'acme', 3, '0', ['usage', 'sums'], 0n, 7n],
  'what an organization holds': ['organization', 'acme', 0, '9', ['held'], 9n, 10n],
  'the places an organization takes': ['organization', 'acme', 1, '2', ['inFlight'], 2n, 1n],
  'the places a key takes': ['key', 'key-1', 1, '0', ['inFlight'], 0n, 1n],
  'a place of a key that has no open hold': ['key', 'idle', 1, '1', ['inFlight'], 1n, 0n],
  'usage of a key': ['key', 'key-1', 3, '0', OF_KEY, 0n, 7n],
  'what a key holds': ['key', 'key-1', 0, '0', ['held'], 0n, 10n],
  'what a key holds that has no open hold': ['key', 'idle', 0, '3', ['held'], 3n, 0n],
  'the day of a key': ['key', 'key-1', 5, '7', ['day'], 0n, 7n],
  'the week of a key': ['key', 'key-1', 6, '-1', ['week'], 8n, 7n],
  'the month of a key': ['key', 'key-1', 7, '1', ['month'], 6n, 7n],
  // Windows that are said to have begun earlier are over earlier: their usage is lost.
  'the latest day of a key': ['key', 'key-1', 4, '0', ['day', 'week', 'month'], 0n, 7n],
  'usage of a budget': ['budget', 'acme team', 3, '0', ['usage', 'day', 'week', 'month'], 0n, 7n],
  'the month of a budget': ['budget', 'acme team', 7, '1', ['month'], 6n, 7n],
  'what a budget holds': ['budget', 'acme team', 0, '9', ['held'], 9n, 10n],
  'what a budget holds that has no open hold': ['budget', 'acme idle', 0, '3', ['held'], 3n, 0n],
  'counters of a key that never had any charge': ['key', 'idle', 3, '1', OF_KEY, 1n, 0n],
};

describe.skipIf(server === undefined)(`audit${suffix}`, () => {
  if (server === undefined) return;
  const open = (options?: Parameters<typeof openLedger>[1]) => openLedger(server.url, options);
  const budgetsOf = (...ids: string[]) => ids.map((id) => ({ id, limit: null, limitReset: null, isKept: true }));

  /** One open hold, one charge, and a key and a budget that have only ever held. */
  async function openWithSome(): Promise<OpenLedger> {
    const opened = await open();
    const { ledger } = opened;
    await ledger.grant(grantOf(100n));
    for (const holdId of ['open', 'settled']) await ledger.hold(holdOf(holdId, { budgets: budgetsOf('team') }));
    await ledger.hold(holdOf('released', { keyId: 'idle', budgets: budgetsOf('idle') }));
    await ledger.settle('settled', CHARGE);
    await ledger.release('released', { reason: 'failed' });
    return opened;
  }

  test('finds nothing wrong with a ledger that was not tampered with, nor with an empty one', async () => {
    const { ledger } = await openWithSome();
    expect(await ledger.audit()).toEqual({
      organizations: 1,
      keys: 2,
      budgets: 2,
      entries: 2,
      openHolds: 1,
      differences: [],
    });
    const empty = await open();
    const nothing = { organizations: 0, keys: 0, budgets: 0, entries: 0, openHolds: 0, differences: [] };
    expect(await empty.ledger.audit()).toEqual(nothing);
  });

  for (const [name, [subject, id, place, text, finds, counted, recomputed]] of Object.entries(TAMPERINGS)) {
    test(`finds ${name} changed behind its back`, async () => {
      const { ledger, prefix, command } = await openWithSome();
      const book = `{${prefix}}:${BOOKS[subject]}`;
      const parts = String(await command('HGET', book, id)).split(' ');
      await command('HSET', book, id, parts.with(place, text).join(' '));
      const differences = finds.map((counter) => ({ subject, id, counter, counted, recomputed }));
      expect((await ledger.audit()).differences).toEqual(differences);
    });
  }

  /** Which sums are changed, and whose usage they no longer add up to. */
  for (const [letter, subjects] of [
    ['d', ['organization', 'key']],
    ['O', ['organization']],
    ['m', ['key']],
  ] as const) {
    test(`finds the sums of usage under ${letter} changed behind its back`, async () => {
      const clock = createFakeClock();
      const { ledger, prefix, command } = await open({ clock });
      await ledger.grant(grantOf(100n));
      await ledger.hold(holdOf('settled'));
      await ledger.settle('settled', CHARGE);
      if (letter !== 'd') await clock.advance(DAY_MS);
      await ledger.expireHolds(0);
      expect((await ledger.audit()).differences).toEqual([]);
      const sums = (await command('HGETALL', `{${prefix}}:sums`)) as string[];
      const at = sums.findIndex((text, index) => text.startsWith(letter) && sums[index + 1]?.includes('1 7 0'));
      await command('HSET', `{${prefix}}:sums`, `${sums[at]}`, `${sums[at + 1]?.replace('1 7 0', '1 8 0')}`);
      const ids = { organization: 'acme', key: 'key-1' };
      const differences = subjects.map((subject) => {
        return { subject, id: ids[subject], counter: 'sums', counted: 7n, recomputed: 8n };
      });
      expect((await ledger.audit()).differences).toEqual(differences);
    });
  }

  test('reads the open holds once, and is right about more subjects and entries than one script compares', async () => {
    const { ledger, command } = await open();
    const ids = Array.from({ length: 600 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => ledger.grant({ ...grantOf(100n, id), organizationId: `org-${id}` })));
    await Promise.all(ids.map((id) => ledger.hold(holdOf(id, { organizationId: `org-${id}`, keyId: `key-${id}` }))));
    await command('CONFIG', 'RESETSTAT');
    expect(await ledger.audit()).toMatchObject({ openHolds: 600, differences: [] });
    const stats = String(await command('INFO', 'commandstats'));
    expect(stats).toMatch(/cmdstat_zrange:calls=1,/);
    await Promise.all(ids.map((id) => ledger.settle(id, CHARGE)));
    const report = { organizations: 600, keys: 600, budgets: 0, entries: 1_200, openHolds: 0, differences: [] };
    expect(await ledger.audit()).toEqual(report);
  });

  test('finds a hold that has vanished', async () => {
    const { ledger, prefix, command } = await openWithSome();
    await command('HDEL', `{${prefix}}:holds`, 'open');
    const { differences } = await ledger.audit();
    expect(differences.map(({ subject, counter, recomputed }) => [subject, counter, recomputed])).toEqual([
      ['organization', 'held', 0n],
      ['organization', 'inFlight', 0n],
      ['key', 'held', 0n],
      ['key', 'inFlight', 0n],
      ['budget', 'held', 0n],
    ]);
  });

  test('counts windows as the scripts do where the clock was set back', async () => {
    const clock = createFakeClock();
    const ahead = await open({ clock: { ...clock, now: () => clock.now() + 40 * DAY_MS } });
    const { ledger } = await open({ clock, prefix: ahead.prefix });
    await ledger.grant(grantOf(100n));
    for (const [index, handle] of [ledger, ahead.ledger, ledger].entries()) {
      await handle.hold(holdOf(`${index}`));
      await handle.settle(`${index}`, CHARGE);
    }
    expect((await ledger.keyTotals('key-1', 'monthly')).windowUsage).toBe(14n);
    expect((await ledger.audit()).differences).toEqual([]);
    const { entries } = await ledger.entries({ fromMs: clock.now(), toMs: clock.now() + 1 });
    expect(entries.map(({ id }) => id)).toEqual(['grant-1', '0', '2']);
  });
});
