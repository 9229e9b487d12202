import { LedgerError } from '@searchgate/core/ledger';
import { type CommitQueueOptions, createCommitQueue, type Verb } from './commit-queue.js';
import type { Connection } from './connection.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { migrateSchema } from './schema.js';

/** The two ways to the database. Both reject with `LedgerError` `ledger_closed` or `schema_mismatch` where nothing may be done at all. */
export interface Access {
  /** Reads what is committed, beside whoever writes; all of it of one moment. */
  read<T>(work: (connection: Connection) => T): Promise<T>;
  /** Writes, together with what else is written in the same turn. */
  write<T>(verb: Verb<T>): Promise<T>;
  /** Brings the schema to this package's version. */
  migrate(): Promise<void>;
  /** Answers what is under way and refuses everything else from now on. */
  close(): Promise<void>;
}

export function createAccess(options: CommitQueueOptions): Access {
  const { connection, checkSchema } = options;
  const queue = createCommitQueue(options);
  let closed = false;

  function checkOpen(): void {
    if (closed) throw new LedgerError('ledger_closed', 'the ledger has been closed');
  }

  return {
    async read(work) {
      checkOpen();
      const once = () =>
        connection.snapshot(() => {
          checkSchema();
          return work(connection);
        });
      return retryWhileBusy(once, options);
    },
    async write(verb) {
      checkOpen();
      return queue.submit(verb);
    },
    async migrate() {
      checkOpen();
      await retryWhileBusy(() => migrateSchema(connection), options);
    },
    async close() {
      closed = true;
      await queue.drain();
    },
  };
}
