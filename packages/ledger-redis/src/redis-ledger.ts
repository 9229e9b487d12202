import { createDurableLedger, type DurableLedger } from '@searchgate/core/ledger';
import { evaluateBy } from './engine/redis-client.js';
import { createScripts } from './engine/scripts.js';
import { redisApiKeys } from './keys/redis-api-keys.js';
import { redisIdempotency } from './keys/redis-idempotency.js';
import { audit } from './money/audit.js';
import { packSums, redisMoney } from './money/redis-money.js';
import { removeEntries } from './money/remove-entries.js';
import { type RedisLedgerOptions, readRedisLedgerOptions } from './redis-ledger-options.js';
import { MIGRATE } from './scripts/migrate-script.js';

/** A {@link DurableLedger} in Redis. */
export type RedisLedger = DurableLedger;

/**
 * Money, API keys and idempotency in Redis 7.0 or newer, over the host's own client.
 *
 * Every operation is one script, which Redis runs alone: it is wholly done or not at all, also for several processes. Amounts are exact over all
 * 64 bits. What an acknowledged operation survives depends on the server's settings: with `appendonly yes` and `appendfsync always` it survives the
 * end of every process, the server's too. See the README for what each other setting may lose.
 *
 * An operation that meets a lost connection, a restart or a failover is tried again for about two seconds, and recognizes what an earlier try of its
 * own has done. An error of the client after that means: it is unknown whether the operation was done; repeating it is safe.
 *
 * Before its first script the server is asked whether it throws keys away when its memory is full. If it does, every operation and `migrate()` reject with
 * a `ConfigurationError`, unless `allowEviction` is given.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function redisLedger(options: RedisLedgerOptions): RedisLedger {
  const { client, endedHoldRetentionMs, ...rest } = readRedisLedgerOptions(options);
  const scripts = createScripts({ evaluate: evaluateBy(client), ...rest });
  return createDurableLedger({
    ...redisMoney(scripts, endedHoldRetentionMs),
    apiKeys: redisApiKeys(scripts),
    idempotency: redisIdempotency(scripts),
    async migrate() {
      await scripts.run(MIGRATE, []);
      await packSums(scripts, Infinity);
    },
    removeEntries: (cursor) => removeEntries(scripts, cursor),
    audit: () => audit(scripts),
  });
}
