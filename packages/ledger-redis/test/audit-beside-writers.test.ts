import type { AuditDifference } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type IoRedisClient, redisLedger } from '../src/index.js';
import { CHARGE, grantOf, holdOf, type OpenLedger, openLedger } from './open-ledger.js';
import { connectIoRedis, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason({ ownServer: true });
const DAY_MS = 86_400_000;
const KEYS = ['key-1', 'key-2'];

/** A counter that is wrong, whatever others have added to it since: how much it is off. */
type Offset = Pick<AuditDifference, 'subject' | 'id' | 'counter'> & { readonly by: bigint };

const offsetsOf = (differences: readonly AuditDifference[]): Offset[] =>
  differences.map(({ subject, id, counter, counted, recomputed }) => ({
    subject,
    id,
    counter,
    by: counted - recomputed,
  }));

describe.skipIf(server === undefined)(`audit beside writers${suffix}`, () => {
  if (server === undefined) return;
  /** A ledger with usage by day, by month and of today, so that the sums of each are read. */
  async function openWithUsage() {
    const clock = createFakeClock();
    const writer = await openLedger(server?.url ?? '', { clock });
    await writer.ledger.grant(grantOf(1_000_000n));
    await writeOnce(writer, 'before');
    await clock.advance(DAY_MS);
    await writer.ledger.expireHolds(0);
    await writeOnce(writer, 'today');
    return { writer, clock };
  }

  /** Moves every counter that an audit compares, and leaves a hold open. */
  async function writeOnce({ ledger }: OpenLedger, name: string): Promise<void> {
    await ledger.grant(grantOf(3n, `grant-${name}`));
    for (const keyId of KEYS) {
      const ids = ['settled', 'released', 'open'].map((ending) => `${name}-${keyId}-${ending}`);
      for (const holdId of ids) await ledger.hold(holdOf(holdId, { keyId }));
      await ledger.settle(ids[0] ?? '', CHARGE);
      await ledger.release(ids[1] ?? '', { reason: 'failed' });
      await ledger.adjust({
        adjustmentId: `adjust-${name}-${keyId}`,
        organizationId: 'acme',
        keyId,
        amount: -1n,
        note: '',
      });
    }
  }

  /** Audits over a connection of its own. Others write behind every script that it runs, so before every one but the first. */
  async function auditBesideWriters({ writer, clock }: Awaited<ReturnType<typeof openWithUsage>>) {
    const host = await connectIoRedis(server?.url ?? '');
    onTestFinished(() => host.end());
    let turns = 0;
    const client: IoRedisClient = {
      async call(command, ...words) {
        const reply = await (host.client as IoRedisClient).call(command, ...words);
        turns += 1;
        await writeOnce(writer, `turn-${turns}`);
        return reply;
      },
    };
    const { differences } = await redisLedger({ client, clock, prefix: writer.prefix }).audit();
    return { offsets: offsetsOf(differences), turns };
  }

  test('finds nothing wrong with a right ledger, whatever is written between two of its scripts', async () => {
    const { offsets, turns } = await auditBesideWriters(await openWithUsage());
    expect(offsets).toEqual([]);
    // A view of each kind, the holds, and the sums of the organization and of both keys.
    expect(turns).toBeGreaterThanOrEqual(7);
  });

  const org = { subject: 'organization', id: 'acme' } as const;
  const key = { subject: 'key', id: 'key-1' } as const;
  type Planted = readonly [plant: (ledger: OpenLedger) => Promise<void>, ...finds: Offset[]];

  /** What is wrong by one nanodollar, or by one place, and what an audit says of it. */
  const PLANTED: Readonly<Record<string, Planted>> = {
    'credits of an organization': [addToBook('org-counters', 'acme', 4), { ...org, counter: 'credits', by: 1n }],
    'usage and sums of an organization': [
      addToBook('org-counters', 'acme', 3),
      ...(['usage', 'sums'] as const).map((counter) => ({ ...org, counter, by: 1n })),
    ],
    'usage and windows of a key': [
      addToBook('key-counters', 'key-1', 3),
      ...(['usage', 'day', 'week', 'month', 'sums'] as const).map((counter) => ({ ...key, counter, by: 1n })),
    ],
    'the amounts an organization holds': [addToBook('org-counters', 'acme', 0), { ...org, counter: 'held', by: 1n }],
    'the places a key takes': [
      addToBook('key-counters', 'key-2', 1),
      { subject: 'key', id: 'key-2', counter: 'inFlight', by: 1n },
    ],
    'sums of an organization by day': [addToSums(/^O\d+ acme /), { ...org, counter: 'sums', by: -1n }],
    'sums of a key by month': [addToSums(/^m\d+ acme key-1 /), { ...key, counter: 'sums', by: -1n }],
    'sums of today': [
      addToSums(/^d\d+ acme key-1 /),
      { ...org, counter: 'sums', by: -1n },
      { ...key, counter: 'sums', by: -1n },
    ],
  };

  for (const [name, [plant, ...finds]] of Object.entries(PLANTED)) {
    test(`finds that ${name} are off by one while others go on changing them`, async () => {
      const opened = await openWithUsage();
      await plant(opened.writer);
      const { offsets } = await auditBesideWriters(opened);
      expect(offsets).toEqual(finds);
    });
  }
});

function addToBook(book: 'org-counters' | 'key-counters', id: string, place: number) {
  return async ({ prefix, command }: OpenLedger): Promise<void> => {
    const parts = String(await command('HGET', `{${prefix}}:${book}`, id)).split(' ');
    await command('HSET', `{${prefix}}:${book}`, id, parts.with(place, `${BigInt(parts[place] ?? 0) + 1n}`).join(' '));
  };
}

/** Raises what sums say was charged: the first of a name that begins so. */
function addToSums(beginning: RegExp) {
  return async ({ prefix, command }: OpenLedger): Promise<void> => {
    const CHARGES_AND_CHARGED = /(?<![-\d ])([1-9]\d*) (\d+) 0/;
    const sums = (await command('HGETALL', `{${prefix}}:sums`)) as string[];
    const at = sums.findIndex((name, index) => beginning.test(name) && CHARGES_AND_CHARGED.test(`${sums[index + 1]}`));
    const raised = sums[at + 1]?.replace(
      CHARGES_AND_CHARGED,
      (_, count, charged) => `${count} ${BigInt(charged) + 1n} 0`,
    );
    await command('HSET', `{${prefix}}:sums`, `${sums[at]}`, `${raised}`);
  };
}
