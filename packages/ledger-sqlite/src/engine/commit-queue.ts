import { isLedgerError } from '@searchgate/core/ledger';
import { type Books, openBooks } from '../money/books.js';
import type { Connection } from './connection.js';
import { isBusy } from './is-busy.js';
import { backoffMs, type Patience } from './retry-while-busy.js';
import type { SchemaCheck } from './schema.js';

/** A verb that writes: one synchronous step, which either throws a `LedgerError` before it has changed anything or changes all it has to. */
export type Verb<T> = (books: Books) => T;

/**
 * Group commit: what is asked for in the same turn of the event loop, or while the database is busy, shares one transaction, and so one wait for
 * the disk. Each verb is answered after the commit alone.
 */
export interface CommitQueue {
  /** @throws LedgerError what the verb refuses with; anything else is the engine's own error, and then the verb has changed nothing. */
  submit<T>(verb: Verb<T>): Promise<T>;
  /** Resolves when everything submitted so far has been answered. */
  drain(): Promise<void>;
}

export interface CommitQueueOptions extends Patience {
  readonly connection: Connection;
  readonly checkSchema: SchemaCheck;
  /** What each transaction does besides, told how many verbs were in it. */
  readonly afterVerbs: (books: Books, verbs: number) => void;
}

/** How many verbs share a transaction at most, which is how long the event loop, and other processes, can be kept waiting by one. */
const BATCH_SIZE = 128;

interface Job {
  readonly verb: Verb<unknown>;
  readonly giveUpAtMs: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Its batch failed: it gets a transaction of its own, so that only the guilty verb fails. */
  alone: boolean;
}

type Outcome = { readonly result: unknown } | { readonly refusal: unknown };

export function createCommitQueue(options: CommitQueueOptions): CommitQueue {
  const { clock, busyTimeoutMs } = options;
  const waiting: Job[] = [];
  let idle: Promise<void> = Promise.resolve();
  let becomeIdle: (() => void) | undefined;
  let busyInARow = 0;

  function enqueue(job: Job): void {
    waiting.push(job);
    if (becomeIdle !== undefined) return;
    idle = new Promise((resolve) => {
      becomeIdle = resolve;
    });
    // Not a microtask: requests that arrive in the same turn are to share the transaction.
    setImmediate(commitNext);
  }

  function commitNext(): void {
    const delayMs = commitBatch(takeBatch(waiting));
    if (waiting.length === 0) {
      becomeIdle?.();
      becomeIdle = undefined;
    } else if (delayMs === 0) setImmediate(commitNext);
    else clock.schedule(delayMs, commitNext);
  }

  /** @returns how long to stay away from the database. */
  function commitBatch(batch: readonly Job[]): number {
    try {
      const outcomes = transact(batch, options);
      busyInARow = 0;
      for (const [index, job] of batch.entries()) answer(job, outcomes[index] as Outcome);
      return 0;
    } catch (error) {
      return isBusy(error) ? waitWithAll(batch, error) : retryAlone(batch, error);
    }
  }

  function waitWithAll(batch: readonly Job[], error: unknown): number {
    const nowMs = clock.monotonic();
    for (const job of batch) if (job.giveUpAtMs <= nowMs) job.reject(error);
    waiting.unshift(...batch.filter((job) => job.giveUpAtMs > nowMs));
    busyInARow += 1;
    return backoffMs(busyInARow);
  }

  function retryAlone(batch: readonly Job[], error: unknown): number {
    const [first, ...others] = batch;
    if (others.length === 0) first?.reject(error);
    else waiting.unshift(...batch.map((job) => ({ ...job, alone: true })));
    return 0;
  }

  return {
    submit: <T>(verb: Verb<T>) =>
      new Promise<T>((resolve, reject) => {
        const giveUpAtMs = clock.monotonic() + busyTimeoutMs;
        enqueue({ verb, giveUpAtMs, resolve: resolve as (result: unknown) => void, reject, alone: false });
      }),
    drain: () => idle,
  };
}

/** The next verbs that may share a transaction. */
function takeBatch(waiting: Job[]): Job[] {
  if (waiting[0]?.alone === true) return waiting.splice(0, 1);
  const end = waiting.findIndex((job) => job.alone);
  return waiting.splice(0, Math.min(BATCH_SIZE, end === -1 ? waiting.length : end));
}

/** Does all of a batch in one transaction. A verb that refuses takes none of the others with it. */
function transact(batch: readonly Job[], options: CommitQueueOptions): Outcome[] {
  const { connection, checkSchema, clock, afterVerbs } = options;
  return connection.transact(() => {
    checkSchema();
    const books = openBooks(connection, clock.now());
    const outcomes = batch.map(({ verb }) => outcomeOf(verb, books));
    books.flush();
    afterVerbs(books, batch.length);
    return outcomes;
  });
}

function outcomeOf(verb: Verb<unknown>, books: Books): Outcome {
  try {
    return { result: verb(books) };
  } catch (error) {
    if (isLedgerError(error)) return { refusal: error };
    throw error;
  }
}

function answer({ resolve, reject }: Job, outcome: Outcome): void {
  if ('result' in outcome) resolve(outcome.result);
  else reject(outcome.refusal);
}
