import { type Clock, type DurableLedger, parseOptions } from '@searchgate/core/ledger';
import { z } from 'zod';
import { auditLedger } from './audit-ledger.js';
import { createScripts } from './create-scripts.js';
import { ledgerVerbs } from './ledger-verbs.js';
import { evaluateBy, isRedisClient, type RedisClient } from './redis-client.js';
import { redisIdempotency } from './redis-idempotency.js';
import { redisRegistry } from './redis-registry.js';
import { MIGRATE } from './scripts/migrate-script.js';

export interface RedisLedgerOptions {
  /** The host's client, connected: ioredis 5 or 6, or redis (node-redis) 5 or 6, single or cluster. The ledger never closes it. */
  readonly client: RedisClient;
  /**
   * Names the ledger within its Redis: its keys begin with `{searchgate}:`, braces included, which keep all of them in one slot of a Cluster. 1 to 64
   * letters, digits, `_`, `.`, `:` and `-`; default `searchgate`.
   */
  readonly prefix?: string;
  /**
   * Where given, the one clock of the ledger: every process that shares it must give the same. For tests. Default the clock of the Redis
   * server, onto which the times of every process are moved.
   */
  readonly clock?: Clock;
  /**
   * How long an ended hold is remembered, so that a verb that is repeated on it repeats its ending; afterwards it is unknown, and its id can be held
   * again. Milliseconds from 60,000 (a minute) to 31,536,000,000 (a year); default 604,800,000 (7 days).
   */
  readonly keepEndedHoldsMs?: number;
  /**
   * Insists on a server that may throw keys away when its memory is full (`maxmemory` with another `maxmemory-policy` than `noeviction`), which else
   * is refused: credits and charges would be lost. Default false.
   */
  readonly allowEviction?: boolean;
}

/** A {@link DurableLedger} in Redis. */
export interface RedisLedger extends DurableLedger {}

const DAY_MS = 86_400_000;
const KEEP_WANTED = 'whole milliseconds from 60,000 to 31,536,000,000';

const schema = z.strictObject(
  {
    client: z.custom<RedisClient>(isRedisClient, 'a client of ioredis or redis'),
    prefix: z
      .string('a text')
      .regex(/^[\w.:-]{1,64}$/, '1 to 64 letters, digits, "_", ".", ":" and "-"')
      .default('searchgate'),
    clock: z.custom<Clock>(isClock, 'a clock with now, monotonic and schedule').optional(),
    keepEndedHoldsMs: z
      .int(KEEP_WANTED)
      .min(60_000, KEEP_WANTED)
      .max(365 * DAY_MS, KEEP_WANTED)
      .default(7 * DAY_MS),
    allowEviction: z.boolean('true or false').default(false),
  },
  'an object of options',
);

/**
 * Money, API keys and idempotency in Redis 7.0 or newer, over the host's own client.
 *
 * Every verb is one script, which Redis runs alone: it is wholly done or not at all, also for several processes. Amounts are exact over all
 * 64 bits. What an acknowledged verb survives depends on the server's settings: with `appendonly yes` and `appendfsync always` it survives the
 * end of every process, the server's too. See the README for what each other setting may lose.
 *
 * A verb that meets a lost connection, a restart or a failover is tried again for about two seconds, and recognizes what an earlier try of its
 * own has done. An error of the client after that means: nobody knows whether the verb was done; repeating it is safe.
 *
 * Before its first script the server is asked whether it throws keys away when its memory is full. If it does, every verb and `migrate()` reject with
 * a `ConfigurationError`, unless `allowEviction` is given.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function redisLedger(options: RedisLedgerOptions): RedisLedger {
  const { client, keepEndedHoldsMs, ...rest } = parseOptions(schema, options, 'redisLedger');
  const scripts = createScripts({ evaluate: evaluateBy(client), ...rest });
  return {
    ...ledgerVerbs(scripts, keepEndedHoldsMs),
    apiKeys: redisRegistry(scripts),
    idempotency: redisIdempotency(scripts),
    async migrate() {
      await scripts.run(MIGRATE, []);
    },
    audit: () => auditLedger(scripts),
    close: () => scripts.close(),
  };
}

function isClock(value: unknown): boolean {
  const { now, monotonic, schedule } = (value ?? {}) as Partial<Record<keyof Clock, unknown>>;
  return [now, monotonic, schedule].every((method) => typeof method === 'function');
}
