import { onTestFinished } from 'vitest';
import { type RedisLedger, type RedisLedgerOptions, redisLedger } from '../src/index.js';
import { type Connect, connectIoRedis, freshPrefix, type HostClient } from './with-redis.js';

/** A ledger of its own, migrated, and the connection it works over. Both end with the test. */
export interface OpenLedger extends HostClient {
  readonly ledger: RedisLedger;
  readonly prefix: string;
  /** Sends a command past the ledger: behind its back. */
  command(...words: [string, ...string[]]): Promise<unknown>;
}

export async function openLedger(
  url: string,
  { connect = connectIoRedis, ...options }: Partial<RedisLedgerOptions> & { readonly connect?: Connect } = {},
): Promise<OpenLedger> {
  const { client, end } = await connect(url);
  const prefix = options.prefix ?? freshPrefix();
  const ledger = redisLedger({ client, ...options, prefix });
  onTestFinished(async () => {
    await ledger.close();
    end();
  });
  await ledger.migrate();
  return {
    ledger,
    client,
    prefix,
    end,
    async command(command, ...values) {
      if (!('call' in client)) throw new Error('only over ioredis');
      return client.call(command, ...values);
    },
  };
}

/** A hold of 10 nanodollars for `key-1` of `acme` that lasts a minute, unless changed. */
export function holdOf<T extends object>(holdId: string, changes?: T) {
  const owner = { organizationId: 'acme', keyId: 'key-1' };
  const expiresAtMs = Date.now() + 60_000;
  return { holdId, ...owner, keyLimit: null, amount: 10n, expiresAtMs, model: 'exa/answer', ...changes };
}

export const CHARGE = { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;

export const grantOf = (amount: bigint, grantId = 'grant-1') => {
  return { grantId, organizationId: 'acme', amount, note: '' };
};
