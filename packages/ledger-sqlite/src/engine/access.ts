import { type Clock, retry } from '@searchgate/core/ledger';
import { createSchemaCheck, migrate } from '../schema/migrate.js';
import { type BatcherOptions, BUSY_BACKOFF, createBatcher, type Operation } from './batcher.js';
import type { Connection } from './connection.js';
import { isTransient } from './is-transient.js';

/** The two ways to the database. Both reject with `LedgerError` `schema_mismatch` where the schema is not this package's. */
export interface Access {
  readonly clock: Clock;
  /** Reads what is committed, while others write; all of it of one moment. */
  read<T>(work: (connection: Connection) => T): Promise<T>;
  /** Writes, together with what else is written in the same turn. */
  write<T>(operation: Operation<T>): Promise<T>;
  /** Brings the schema to this package's version. */
  migrate(): Promise<void>;
}

export function createAccess(options: Omit<BatcherOptions, 'checkSchema'>): Access {
  const { connection, clock, busyTimeoutMs } = options;
  const checkSchema = createSchemaCheck(connection);
  const batcher = createBatcher({ ...options, checkSchema });
  const waiting = { backoff: BUSY_BACKOFF, isTransient, giveUpAfterMs: busyTimeoutMs, clock };

  return {
    clock,
    read(work) {
      const once = () =>
        connection.snapshot(() => {
          checkSchema();
          return work(connection);
        });
      return retry(once, waiting);
    },
    write: (operation) => batcher.submit(operation),
    migrate: () => retry(() => migrate(connection), waiting),
  };
}
