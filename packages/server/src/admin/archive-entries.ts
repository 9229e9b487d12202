import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DurableLedger, EntryPage, LedgerEntry } from '@searchgate/core/ledger';
import { draftOf, fileExists, lineOf, readLines, writeArchive } from './archive-file.js';

/** The owner of the lock. No caller has this id: ids with this prefix are refused. */
const OWNER = 'searchgate:archive';
const NAME = 'archive';
const FINGERPRINT = createHash('sha256').update(NAME).digest('hex');
/** How long a killed run keeps other runs out. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;

/** Renews the lock. @throws Error if another run has taken it, after this process stalled. */
type Confirm = () => Promise<void>;

/** Runs work under a lock on the ledger. @throws Error if another process holds the lock. */
async function archiveAlone<T>(
  { idempotency }: Pick<DurableLedger, 'idempotency'>,
  work: (confirm: Confirm) => Promise<T>,
): Promise<T> {
  const claim = { keyId: OWNER, idempotencyKey: NAME, claimId: `archive_${randomUUID()}`, fingerprint: FINGERPRINT };

  async function confirm(): Promise<void> {
    const nowMs = Date.now();
    const request = { ...claim, nowMs, expiresAtMs: nowMs + CLAIM_MS };
    if ((await idempotency.claim(request)).status === 'claimed') return;
    const seconds = CLAIM_MS / 1_000;
    throw new Error(
      `entries of this ledger are being archived already; after a run that was killed, wait ${seconds} s`,
    );
  }

  await confirm();
  let renewal: Promise<void> | undefined;
  // A failed renewal is ignored: the work confirms the lock itself.
  const timer = setInterval(() => {
    renewal = confirm().catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work(confirm);
  } finally {
    clearInterval(timer);
    await renewal;
    // A lock that is not freed expires.
    await idempotency.free(claim).catch(() => undefined);
  }
}

const PAGE_SIZE = 1_000;

export interface Archived {
  /** Number of entries written into the file. Grants and adjustments among them also stay in the log. */
  readonly written: number;
  readonly removed: number;
}

/**
 * Writes all log entries before a time into a file (a JSON object per line, gzip), verifies the file, and only then removes the entries from the log.
 * After a failure the log still has every entry that the file lacks. Repeating the call then removes the rest and writes nothing, so no entry gets into
 * two files. Without entries to archive it does nothing.
 *
 * The last entry of the log always stays. So do all entries after the first entry of `beforeMs` or later, if a clock was set back.
 *
 * @throws ConfigurationError if the file exists and is not the archive of an unfinished call; Error while another call archives this ledger.
 */
export function archiveEntries(ledger: DurableLedger, beforeMs: number, file: string): Promise<Archived> {
  return archiveAlone(ledger, async (confirm) => {
    await rm(draftOf(file), { force: true });
    const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
    return isThere ? finish(ledger, beforeMs, file) : archive(ledger, { beforeMs, file, confirm });
  });
}

interface Task {
  readonly beforeMs: number;
  readonly file: string;
  readonly confirm: Confirm;
}

async function archive(ledger: DurableLedger, { beforeMs, file, confirm }: Task): Promise<Archived> {
  const log = readBefore(ledger, beforeMs);
  const written = await writeArchive(file, log.entries(), async () => {
    await confirm();
    return log.cut() !== undefined;
  });
  const cut = log.cut();
  return { written, removed: cut === undefined ? 0 : await ledger.removeEntries(cut) };
}

/** Removes the archived entries that are still in the log. */
async function finish(ledger: DurableLedger, beforeMs: number, file: string): Promise<Archived> {
  // Reading a pipe would block.
  const end = statSync(file).isFile() ? await endOfArchive(ledger, file).catch(noneOfOthers) : undefined;
  if (end === undefined) throw fileExists(file);
  const removed = end.cut === undefined ? 0 : await ledger.removeEntries(end.cut);
  const isLeft = end.next !== undefined && end.next.atMs < beforeMs;
  if (removed === 0 && isLeft) throw fileExists(file);
  return { written: 0, removed };
}

interface ArchiveEnd {
  /** The cursor of the first log entry after the archive; `undefined` if that entry is the first of the log, or if there is none. */
  readonly cut: string | undefined;
  /** The first log entry after the archive, unless it is the log's last entry, which always stays. */
  readonly next: LedgerEntry | undefined;
}

/** Finds the end of the archive in the log. Both have the same order; removed entries are missing in the log. @throws Error as {@link readLines}. */
async function endOfArchive(ledger: DurableLedger, file: string): Promise<ArchiveEnd> {
  const isBehind = lineFinder(file);
  let start: string | undefined;
  for (;;) {
    const page: EntryPage = await ledger.entries({ limit: PAGE_SIZE, ...from(start) });
    for (const [index, entry] of page.entries.entries()) {
      if (await isBehind(lineOf(entry))) continue;
      const isLast = page.nextCursor === null && index === page.entries.length - 1;
      return { cut: await cursorBehind(ledger, start, index), next: isLast ? undefined : entry };
    }
    if (page.nextCursor === null) return { cut: undefined, next: undefined };
    start = page.nextCursor;
  }
}

/** Tests whether a line is in the archive, after the lines found by earlier calls. */
function lineFinder(file: string): (line: string) => Promise<boolean> {
  const parts = readLines(file);
  let lines: readonly string[] = [];
  let next = 0;
  return async (line) => {
    for (;;) {
      const at = lines.indexOf(line, next);
      if (at !== -1) {
        next = at + 1;
        return true;
      }
      const part = await parts.next();
      if (part.done === true) return false;
      lines = part.value;
      next = 0;
    }
  };
}

/** A file that is not a complete archive counts as a foreign file. */
function noneOfOthers(error: unknown): undefined {
  if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
}

/** The entries before a time, oldest first; after they are read, also the cursor of the first entry that stays. */
function readBefore(ledger: DurableLedger, beforeMs: number) {
  let cut: string | undefined;

  async function* entries(): AsyncGenerator<readonly LedgerEntry[]> {
    let start: string | undefined;
    for (;;) {
      const page: EntryPage = await ledger.entries({ limit: PAGE_SIZE, ...from(start) });
      const later = page.entries.findIndex(({ atMs }) => atMs >= beforeMs);
      const isEnd = later === -1 && page.nextCursor === null;
      // A cursor always points to an entry, so the last entry of the log stays.
      const count = isEnd ? Math.max(0, page.entries.length - 1) : later;
      if (count >= 0) {
        yield page.entries.slice(0, count);
        cut = await cursorBehind(ledger, start, count);
        return;
      }
      yield page.entries;
      start = page.nextCursor ?? undefined;
    }
  }

  return { entries, cut: () => cut };
}

/** The cursor after the first `count` entries of a page. */
async function cursorBehind(
  ledger: DurableLedger,
  start: string | undefined,
  count: number,
): Promise<string | undefined> {
  if (count === 0) return start;
  return (await ledger.entries({ limit: count, ...from(start) })).nextCursor ?? undefined;
}

function from(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}
