import type { AuditDifference } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, type OpenLedger, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason({ ownServer: true });
const DAY_MS = 86_400_000;

/** Where each counter stands in a book, and what is written there with a console. */
interface Tampering {
  readonly book: 'org-counters' | 'key-counters';
  readonly id: string;
  readonly place: number;
  readonly text: string;
  readonly finds: readonly AuditDifference[];
}

const WINDOWS = ['day', 'week', 'month'] as const;
const ofKey = (counter: AuditDifference['counter'], counted: bigint, recomputed: bigint): AuditDifference => {
  return { subject: 'key', id: 'key-1', counter, counted, recomputed };
};

/** What the audit has to say to each change. */
const TAMPERINGS: Record<string, Tampering> = {
  'credits of an organization': {
    book: 'org-counters',
    id: 'acme',
    place: 4,
    text: '101',
    finds: [{ subject: 'organization', id: 'acme', counter: 'credits', counted: 101n, recomputed: 100n }],
  },
  'usage of an organization': {
    book: 'org-counters',
    id: 'acme',
    place: 3,
    text: '0',
    finds: (['usage', 'sums'] as const).map((counter) => {
      return { subject: 'organization', id: 'acme', counter, counted: 0n, recomputed: 7n };
    }),
  },
  'what an organization holds': {
    book: 'org-counters',
    id: 'acme',
    place: 0,
    text: '9',
    finds: [{ subject: 'organization', id: 'acme', counter: 'held', counted: 9n, recomputed: 10n }],
  },
  'the places an organization takes': {
    book: 'org-counters',
    id: 'acme',
    place: 1,
    text: '2',
    finds: [{ subject: 'organization', id: 'acme', counter: 'inFlight', counted: 2n, recomputed: 1n }],
  },
  'the places a key takes': {
    book: 'key-counters',
    id: 'key-1',
    place: 1,
    text: '0',
    finds: [{ subject: 'key', id: 'key-1', counter: 'inFlight', counted: 0n, recomputed: 1n }],
  },
  'a place of a key that has no open hold': {
    book: 'key-counters',
    id: 'idle',
    place: 1,
    text: '1',
    finds: [{ subject: 'key', id: 'idle', counter: 'inFlight', counted: 1n, recomputed: 0n }],
  },
  'usage of a key': {
    book: 'key-counters',
    id: 'key-1',
    place: 3,
    text: '0',
    finds: (['usage', ...WINDOWS, 'sums'] as const).map((counter) => ofKey(counter, 0n, 7n)),
  },
  'what a key holds': {
    book: 'key-counters',
    id: 'key-1',
    place: 0,
    text: '0',
    finds: [{ subject: 'key', id: 'key-1', counter: 'held', counted: 0n, recomputed: 10n }],
  },
  'what a key holds that has no open hold': {
    book: 'key-counters',
    id: 'idle',
    place: 0,
    text: '3',
    finds: [{ subject: 'key', id: 'idle', counter: 'held', counted: 3n, recomputed: 0n }],
  },
  'the day of a key': { book: 'key-counters', id: 'key-1', place: 5, text: '7', finds: [ofKey('day', 0n, 7n)] },
  'the week of a key': { book: 'key-counters', id: 'key-1', place: 6, text: '-1', finds: [ofKey('week', 8n, 7n)] },
  'the month of a key': { book: 'key-counters', id: 'key-1', place: 7, text: '1', finds: [ofKey('month', 6n, 7n)] },
  // Windows that are said to have begun earlier are over earlier: their usage is lost.
  'the latest day of a key': {
    book: 'key-counters',
    id: 'key-1',
    place: 4,
    text: '0',
    finds: WINDOWS.map((counter) => ofKey(counter, 0n, 7n)),
  },
  'counters of a key that never had any charge': {
    book: 'key-counters',
    id: 'idle',
    place: 3,
    text: '1',
    finds: (['usage', ...WINDOWS, 'sums'] as const).map((counter) => ({ ...ofKey(counter, 1n, 0n), id: 'idle' })),
  },
};

describe.skipIf(server === undefined)(`audit${suffix}`, () => {
  if (server === undefined) return;
  const open = (options?: Parameters<typeof openLedger>[1]) => openLedger(server.url, options);
  /** One open hold, one charge, and a key that has only ever held. */
  async function openWithSome(): Promise<OpenLedger> {
    const opened = await open();
    const { ledger } = opened;
    await ledger.grant(grantOf(100n));
    for (const holdId of ['open', 'settled']) await ledger.hold(holdOf(holdId));
    await ledger.hold(holdOf('released', { keyId: 'idle' }));
    await ledger.settle('settled', CHARGE);
    await ledger.release('released', { reason: 'failed' });
    return opened;
  }

  test('finds nothing wrong with a ledger that was not tampered with, nor with an empty one', async () => {
    const { ledger } = await openWithSome();
    expect(await ledger.audit()).toEqual({ organizations: 1, keys: 2, entries: 2, openHolds: 1, differences: [] });
    const empty = await open();
    const nothing = { organizations: 0, keys: 0, entries: 0, openHolds: 0, differences: [] };
    expect(await empty.ledger.audit()).toEqual(nothing);
  });

  for (const [name, { book, id, place, text, finds }] of Object.entries(TAMPERINGS)) {
    test(`finds ${name} changed behind its back`, async () => {
      const { ledger, prefix, command } = await openWithSome();
      const parts = String(await command('HGET', `{${prefix}}:${book}`, id)).split(' ');
      await command('HSET', `{${prefix}}:${book}`, id, parts.with(place, text).join(' '));
      expect((await ledger.audit()).differences).toEqual(finds);
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

  test('reads the open holds once, however many subjects there are', async () => {
    const { ledger, command } = await open();
    const ids = Array.from({ length: 600 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => ledger.grant({ ...grantOf(100n, id), organizationId: `org-${id}` })));
    await Promise.all(ids.map((id) => ledger.hold(holdOf(id, { organizationId: `org-${id}`, keyId: `key-${id}` }))));
    await command('CONFIG', 'RESETSTAT');
    expect(await ledger.audit()).toMatchObject({ openHolds: 600, differences: [] });
    const stats = String(await command('INFO', 'commandstats'));
    expect(stats).toMatch(/cmdstat_zrange:calls=1,/);
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
    ]);
  });

  test('is right about a log of several pages and more subjects than one script compares', async () => {
    const { ledger } = await open();
    const ids = Array.from({ length: 600 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => ledger.grant({ ...grantOf(100n, id), organizationId: `org-${id}` })));
    const owner = (id: string) => ({ organizationId: `org-${id}`, keyId: `key-${id}` });
    await Promise.all(ids.map((id) => ledger.hold(holdOf(id, owner(id)))));
    await Promise.all(ids.map((id) => ledger.settle(id, CHARGE)));
    const report = { organizations: 600, keys: 600, entries: 1_200, openHolds: 0, differences: [] };
    expect(await ledger.audit()).toEqual(report);
  });

  test('finds nothing wrong while 16 callers hold, settle and release', async () => {
    const { ledger } = await open();
    await ledger.grant(grantOf(1_000_000n));
    let audits = 0;
    const caller = async (name: number): Promise<void> => {
      for (let call = 0; audits < 3 && call < 100_000; call += 1) {
        const holdId = `${name}-${call}`;
        await ledger.hold(holdOf(holdId, { keyId: `key-${call % 3}`, expiresAtMs: Date.now() + 60_000 }));
        if (call % 3 === 0) await ledger.release(holdId, { reason: 'failed' });
        else await ledger.settle(holdId, { ...CHARGE, cost: BigInt(call % 20) });
      }
    };
    const callers = Array.from({ length: 16 }, (_, name) => caller(name));
    for (; audits < 3; audits += 1) expect((await ledger.audit()).differences).toEqual([]);
    await Promise.all(callers);
    expect((await ledger.audit()).openHolds).toBe(0);
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
