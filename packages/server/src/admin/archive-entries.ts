import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { DurableLedger, EntryPage, LedgerEntry } from '@searchgate/core/ledger';
import { problem } from '../problems.js';
import { entryJson } from './present.js';

const PAGE_SIZE = 1_000;
const PRIVATE_FILE = 0o600;

export interface Archived {
  /** How many entries are in the file. Grants and adjustments among them stay in the log too. */
  readonly written: number;
  readonly removed: number;
}

interface Contents {
  readonly entries: number;
  readonly bytes: number;
  readonly digest: string;
}

/**
 * Writes what stands in the log before a time into a file, one JSON object a line and compressed by gzip, reads the file again, and only then removes it
 * from the log. Where it fails, nothing is removed, or a part of what is in the file.
 *
 * The last entry of the log always stays. So do entries behind the first one of `beforeMs` or later, where a clock was set back.
 *
 * @throws ConfigurationError where the file exists.
 */
export async function archiveEntries(ledger: DurableLedger, beforeMs: number, file: string): Promise<Archived> {
  const draft = `${file}.${randomUUID()}`;
  const log = readBefore(ledger, beforeMs);
  try {
    const written = await writeDraft(draft, log.entries());
    const cut = log.cut();
    if (cut === undefined) return { written: 0, removed: 0 };
    await verify(draft, written);
    await publish(draft, file);
    return { written: written.entries, removed: await ledger.removeEntries(cut) };
  } finally {
    await rm(draft, { force: true });
  }
}

/** The entries before a time, oldest first, and, once they are read, the cursor of the first one that stays. */
function readBefore(ledger: DurableLedger, beforeMs: number) {
  let cut: string | undefined;

  /** The cursor of the entry behind the first `count` of a page. */
  async function cursorBehind(start: string | undefined, count: number): Promise<string | undefined> {
    if (count === 0) return start;
    return (await ledger.entries({ limit: count, ...from(start) })).nextCursor ?? undefined;
  }

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
        cut = await cursorBehind(start, count);
        return;
      }
      yield page.entries;
      start = page.nextCursor ?? undefined;
    }
  }

  return { entries, cut: () => cut };
}

function from(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

async function writeDraft(draft: string, pages: AsyncGenerator<readonly LedgerEntry[]>): Promise<Contents> {
  const hash = createHash('sha256');
  let entries = 0;
  let bytes = 0;
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const page of pages) {
      const text = Buffer.from(page.map((entry) => `${JSON.stringify(entryJson(entry))}\n`).join(''));
      entries += page.length;
      bytes += text.length;
      hash.update(text);
      if (text.length > 0) yield text;
    }
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(draft, { flags: 'wx', mode: PRIVATE_FILE }));
  await sync(draft);
  return { entries, bytes, digest: hash.digest('hex') };
}

/** Reads what was written. @throws Error where it is not what should have been. */
async function verify(draft: string, written: Contents): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(draft), createGunzip(), async (parts: AsyncIterable<Buffer>) => {
    for await (const part of parts) {
      bytes += part.length;
      hash.update(part);
    }
  });
  if (bytes === written.bytes && hash.digest('hex') === written.digest) return;
  throw new Error('the archive is not what was written to it: the disk may be full or broken; nothing was removed');
}

/** Gives the file its name, unless there is one of this name. */
async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw problem('--to', `${file}, which exists`, 'the name of a new file: an archive is never written over');
  }
  await sync(file);
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
