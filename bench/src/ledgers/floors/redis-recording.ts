import { redisLedger } from '@searchgate/ledger-redis';
import { Redis } from 'ioredis';
import { COST, CREDITS, holdAndSettle, holdId, organizationName } from '../hold-and-settle.js';
import { MANY_ORGANIZATIONS } from '../ledger-case.js';

/** A command and its arguments. */
export type RedisCommand = readonly string[];

/** A prepared ledger, and what it sends for one pair. */
export interface RedisRecording {
  readonly hold: RedisCommand;
  readonly settle: RedisCommand;
  readonly client: Redis;
  /** How many holds there are or were, and how many of them were charged, by the counters of all organizations. */
  count(): Promise<{ readonly holds: number; readonly charges: number }>;
  close(): Promise<void>;
}

/** The first sends the scripts themselves, the second their hashes, as all do from then on. */
export const RECORDED_PAIRS = 2;
/** Beside the measured ledger, under keys of its own. */
const PREFIX = 'floor';
/** As long as `redis-benchmark` makes numbers. */
const DIGITS = 12;

/** An organization as `redis-benchmark` spells it. */
export function paddedOrganization(index: number): string {
  return `organization-${index.toString().padStart(DIGITS, '0')}`;
}

export async function recordRedis(url: string): Promise<RedisRecording> {
  const client = new Redis(url);
  const sent: RedisCommand[] = [];
  const recorded = {
    call(command: string, ...values: string[]): Promise<unknown> {
      sent.push([command, ...values]);
      return client.call(command, ...values);
    },
  };
  const ledger = redisLedger({ client: recorded, prefix: PREFIX });
  const indexes = Array.from({ length: MANY_ORGANIZATIONS }, (_, index) => index);
  const organizations = indexes.flatMap((index) => [organizationName(index), paddedOrganization(index)]);
  await ledger.migrate();
  await Promise.all(
    organizations.map((id) => ledger.grant({ grantId: id, organizationId: id, amount: CREDITS, note: 'benchmark' })),
  );
  await holdAndSettle(ledger, holdId(0), organizationName(0));
  sent.length = 0;
  await holdAndSettle(ledger, holdId(1), organizationName(0));
  const [hold, settle] = sent;
  if (hold === undefined || settle === undefined || sent.length !== 2) {
    throw new Error(`a hold and a settle took ${sent.length} commands, not 2`);
  }
  return {
    hold,
    settle,
    client,
    async count() {
      const totals = await Promise.all(organizations.map((id) => ledger.organizationTotals(id)));
      const charges = totals.reduce((sum, { usage }) => sum + Number(usage / COST), 0);
      return { charges, holds: totals.reduce((sum, { held }) => sum + Number(held / COST), charges) };
    },
    async close() {
      await ledger.close();
      client.disconnect();
    },
  };
}
