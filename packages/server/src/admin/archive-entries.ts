import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DurableLedger, EntryPage, LedgerEntry } from '@searchgate/core/ledger';
import { draftOf, fileExists, lineOf, readLines, writeArchive } from './archive-file.js';

/** The owner of the name below. No caller has this id: identities that begin so are refused. */
const OWNER = 'searchgate:archive';
const NAME = 'archive';
const FINGERPRINT = createHash('sha256').update(NAME).digest('hex');
/** For how long a run that was killed keeps others out. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;

/** Takes the lock once more. @throws Error where it was lost, by a machine that stood still for too long. */
type Confirm = () => Promise<void>;

/** Does work that no two processes may do at once on one ledger. @throws Error where another one does. */
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
  // Where it fails, the work finds out when it confirms.
  const timer = setInterval(() => {
    renewal = confirm().catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work(confirm);
  } finally {
    clearInterval(timer);
    await renewal;
    // Else it ends by itself.
    await idempotency.free(claim).catch(() => undefined);
  }
}

const PAGE_SIZE = 1_000;

export interface Archived {
  /** How many entries were written into the file. Grants and adjustments among them stay in the log too. */
  readonly written: number;
  readonly removed: number;
}

/**
 * Writes what stands in the log before a time into a file, one JSON object a line and compressed by gzip, reads the file again, and only then removes it
 * from the log. Where it fails, nothing is removed, or a part of what is in the file. Then the same call removes the rest, and writes nothing: no
 * entry gets into two files. Where nothing is left, it does nothing.
 *
 * The last entry of the log always stays. So do entries behind the first one of `beforeMs` or later, where a clock was set back.
 *
 * @throws ConfigurationError where the file exists, and is not what an earlier call could not finish; Error while another call works on this ledger.
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

/** Removes what an archive has and the log has still. */
async function finish(ledger: DurableLedger, beforeMs: number, file: string): Promise<Archived> {
  // A pipe would be waited for.
  const end = statSync(file).isFile() ? await endOfArchive(ledger, file).catch(noneOfOthers) : undefined;
  if (end === undefined) throw fileExists(file);
  const removed = end.cut === undefined ? 0 : await ledger.removeEntries(end.cut);
  const isLeft = end.next !== undefined && end.next.atMs < beforeMs;
  if (removed === 0 && isLeft) throw fileExists(file);
  return { written: 0, removed };
}

interface ArchiveEnd {
  /** The cursor of the first entry of the log that is not in the archive; `undefined` where the log begins with it, or ends before it. */
  readonly cut: string | undefined;
  /** That entry, unless it is the last one of the log, which always stays. */
  readonly next: LedgerEntry | undefined;
}

/** Where the log goes on behind an archive. Both are in the same order, and the log may lack what was removed. @throws Error as {@link readLines}. */
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

/** Tells whether an archive has a line behind those that were found before. */
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

/** Some other file, or one that is not whole, is the archive of nothing. */
function noneOfOthers(error: unknown): undefined {
  if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
}

/** The entries before a time, oldest first, and, once they are read, the cursor of the first one that stays. */
function readBefore(ledger: DurableLedger, beforeMs: number) {
  let cut: string | undefined;

  async function* entries(): AsyncGenerator<readonly LedgerEntry[]> {
    let start: string | undefined;
    for (;;) {
      const page: EntryPage = await ledger.entries({ limit: PAGE_SIZE, ...from(start) });
      const later = page.entries.findIndex(({ atMs }) => atMs >= beforeMs);
      const isEnd = later === -1 && page.nextCursor === null;
      // There is a cursor only to an entry: the last one of the log stays.
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

/** The cursor of the entry behind the first `count` of a page. */
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
