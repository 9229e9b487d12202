import { type Clock, clockSchema, millisecondsSchema, parseOptions } from '@searchgate/core/ledger';
import { z } from 'zod';
import { isRedisClient, type RedisClient } from './engine/redis-client.js';

/** The host's client, and what several ledgers on one server differ in. */
export interface RedisLedgerOptions {
  /** The host's client, connected: ioredis 5 or 6, or redis (node-redis) 5 or 6, single or cluster. The ledger never closes it. */
  readonly client: RedisClient;
  /**
   * Names the ledger within its Redis: its keys begin with `{searchgate}:`, braces included, which keep all of them in one slot of a Cluster. 1 to 64
   * letters, digits, `_`, `.`, `:` and `-`.
   *
   * @default `searchgate`
   */
  readonly prefix?: string;
  /**
   * Where given, the one clock of the ledger: every process that shares it must give the same. For tests.
   *
   * @default the clock of the Redis server, onto which the times of every process are moved
   */
  readonly clock?: Clock;
  /**
   * How long an ended hold is remembered, so that an operation that is repeated on it repeats its ending; afterwards it is unknown, and its id can be held
   * again. Milliseconds from 60,000 (a minute) to 31,536,000,000 (a year).
   *
   * @default 604,800,000 (7 days)
   */
  readonly endedHoldRetentionMs?: number;
  /**
   * Insists on a server that may throw keys away when its memory is full (`maxmemory` with another `maxmemory-policy` than `noeviction`), which else is
   * refused: credits and charges would be lost.
   *
   * @default false
   */
  readonly allowEviction?: boolean;
}

const DAY_MS = 86_400_000;

const schema = z.strictObject(
  {
    client: z.custom<RedisClient>(isRedisClient, 'a client of ioredis or redis'),
    prefix: z
      .string('a text')
      .regex(/^[\w.:-]{1,64}$/, '1 to 64 letters, digits, "_", ".", ":" and "-"')
      .default('searchgate'),
    clock: clockSchema.optional(),
    endedHoldRetentionMs: millisecondsSchema(60_000, 365 * DAY_MS).default(7 * DAY_MS),
    allowEviction: z.boolean('true or false').default(false),
  },
  'an object such as { client: new Redis() }',
);

/** The options with every default filled in. */
export type RedisLedgerConfig = z.output<typeof schema>;

/** @throws ConfigurationError naming the option that is wrong. */
export function readRedisLedgerOptions(options: RedisLedgerOptions): RedisLedgerConfig {
  return parseOptions(schema, options, 'redisLedger');
}
