import { createOwnedEntries } from '../base/owned-entries.js';
import type { Clock } from '../base/time/clock.js';
import type { TimeLimit } from '../base/time/deadline.js';
import { backoffMs } from '../base/time/retry.js';
import type { LoggedRequest } from '../ledger/request-log.js';

/** What is written: each id once, with equal shares for organizations. */
type Written = Pick<LoggedRequest, 'requestId' | 'organizationId'>;

export interface RequestWriterDeps<Row> {
  append(rows: readonly Row[]): Promise<void>;
  /** What a row takes in memory. Default: nothing, so that only the number of rows has bounds. */
  bytesOf?(row: Row): number;
  readonly clock: Clock;
  /** Of each wait for the log. */
  readonly timeLimit: TimeLimit;
  /** A batch was written (`null`), or could not be, and waits. */
  wrote(error: Error | null): void;
  /** Rows are lost. */
  dropped(count: number): void;
  /** Called whenever all rows are written. Never rejects. */
  idle(): Promise<void>;
}

/** Most rows that wait, with equal shares for organizations. */
const MAX_WAITING = 10_000;
const BATCH = 100;
/** Most of what waits, and of a batch, where the bytes of rows are told. */
const MAX_WAITING_BYTES = 33_554_432;
const BATCH_BYTES = 1_048_576;
const FLUSH_EVERY_MS = 500;
const BACKOFF = { firstDelayMs: 500, factor: 2, longestDelayMs: 10_000 };
/** No other process writes these rows, so pauses need no jitter. */
const NO_JITTER = (): number => 1;
/** Most batches that the log has neither written nor refused. More are not given to it. */
const MAX_HANGING = 4;
/** How often a row fails alone before it is lost. */
const MAX_ALONE = 9;
/** So many halves of a batch are one row. */
const HALVES = 7;

/** Writes rows into a log, in batches, one after the other. */
export function createRequestWriter<Row extends Written>({ clock, timeLimit, ...deps }: RequestWriterDeps<Row>) {
  const backlog = createBacklog(deps);
  /** In a row. */
  let failures = 0;
  let hanging = 0;
  let writing: Promise<void> | null = null;
  let cancelTimer: (() => void) | null = null;
  let state: 'open' | 'ending' | 'ended' = 'open';

  function arm(): void {
    const delayMs = failures === 0 ? FLUSH_EVERY_MS : backoffMs(failures - 1, BACKOFF, NO_JITTER);
    cancelTimer ??= clock.schedule(delayMs, () => void write(), 'background');
  }

  function write(): Promise<void> {
    cancelTimer?.();
    cancelTimer = null;
    writing ??= writeAll().finally(() => {
      writing = null;
      if (backlog.size > 0 && state === 'open') arm();
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    let isPaused = false;
    while (backlog.size > 0 && !isPaused && hanging < MAX_HANGING) {
      try {
        await timeLimit.wait(append(backlog.begin()), countHanging);
        backlog.succeeded();
        failures = 0;
        deps.wrote(null);
      } catch (error) {
        deps.wrote(error as Error);
        backlog.failed();
        failures += 1;
        isPaused = state !== 'ending' || failures > HALVES;
      }
    }
    if (backlog.size === 0) await deps.idle();
  }

  const append = async (rows: readonly Row[]) => deps.append(rows);

  function countHanging(work: Promise<unknown>): void {
    hanging += 1;
    const ended = () => void (hanging -= 1);
    work.then(ended, ended);
  }

  return {
    add(row: Row): void {
      backlog.add(row);
      if (backlog.size >= BATCH && failures === 0) void write();
      else arm();
    },
    /** Writes what waits, within one time limit; the rest is lost. */
    async end(): Promise<void> {
      state = 'ending';
      await timeLimit.wait(write()).catch(() => undefined);
      state = 'ended';
      backlog.drop();
    },
  };
}

/**
 * Rows that wait, and the batch that is being written. A batch that fails goes back to where it was, and half of it is tried next: so a row that the log never
 * takes ends alone. A row that fails alone makes way for the others. It is lost if it fails ten times, after others were written each time: then the log is not
 * to blame.
 */
function createBacklog<Row extends Written>({
  dropped,
  bytesOf = () => 0,
}: Pick<RequestWriterDeps<Row>, 'dropped' | 'bytesOf'>) {
  let waiting = createOwnedEntries<Row>({ maxBytes: MAX_WAITING_BYTES });
  let batch: readonly Row[] = [];
  let batchSize = BATCH;
  let batchesWritten = 0;
  /** Rows that failed alone: how often, and how many batches had been written by then. */
  const failedAlone = new Map<string, { readonly times: number; readonly written: number }>();

  /** In the order in which they came, each id once. */
  function wait(rows: readonly Row[]): void {
    let lost = 0;
    for (const row of rows) {
      if (waiting.peek(row.requestId) !== undefined) continue;
      const before = waiting.size;
      waiting.set(row.requestId, row, { owner: row.organizationId, bytes: bytesOf(row) });
      lost += before + 1 - waiting.size;
    }
    lost += waiting.cut(MAX_WAITING);
    if (lost > 0) dropped(lost);
  }

  function waitAgain(rows: readonly Row[]): void {
    waiting = createOwnedEntries<Row>({ maxBytes: MAX_WAITING_BYTES });
    wait(rows);
  }

  return {
    get size() {
      return waiting.size;
    },
    add: (row: Row) => wait([row]),
    begin() {
      const taken: Row[] = [];
      let bytes = 0;
      for (const [id, row] of waiting) {
        if (taken.length === batchSize || bytes > BATCH_BYTES) break;
        taken.push(row);
        bytes += bytesOf(row);
        waiting.delete(id);
      }
      batch = taken;
      return taken;
    },
    succeeded(): void {
      batch = [];
      batchesWritten += 1;
      batchSize = Math.min(BATCH, batchSize * 2);
      if (waiting.size === 0) failedAlone.clear();
    },
    failed(): void {
      const [{ requestId } = { requestId: '' }, ...others] = batch;
      const rest = Array.from(waiting, ([, row]) => row);
      const { times, written } = failedAlone.get(requestId) ?? { times: 0, written: -1 };
      if (others.length > 0) waitAgain([...batch, ...rest]);
      else if (times >= MAX_ALONE && written < batchesWritten) dropped(1);
      else {
        failedAlone.set(requestId, { times: times + Number(written < batchesWritten), written: batchesWritten });
        waitAgain([...rest, ...batch]);
      }
      batchSize = Math.ceil(batch.length / 2);
      batch = [];
    },
    /** Gives up all rows. */
    drop(): void {
      const lost = waiting.size + batch.length;
      waitAgain([]);
      batch = [];
      if (lost > 0) dropped(lost);
    },
  };
}
