import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type LedgerEntry, oneLine } from '@searchgate/core/ledger';
import { problem } from '../problems.js';
import { withDraft } from './draft-file.js';
import { entryJson } from './present.js';

const PRIVATE_FILE = 0o600;

interface Contents {
  readonly entries: number;
  readonly bytes: number;
  readonly digest: string;
}

/** The line of an entry, without the line end. */
export function lineOf(entry: LedgerEntry): string {
  return oneLine(JSON.stringify(entryJson(entry)));
}

/**
 * Writes a draft, verifies it, and only then gives it its name.
 *
 * @param mayPublish called after the draft is written; `false` discards the draft.
 * @returns the number of entries in the file; 0 without a file.
 * @throws ConfigurationError if the file exists.
 */
export async function writeArchive(
  file: string,
  pages: AsyncGenerator<readonly LedgerEntry[]>,
  mayPublish: () => Promise<boolean>,
): Promise<number> {
  return withDraft(draftOf(file), async (draft) => {
    const written = await writeDraft(draft, pages);
    if (!(await mayPublish())) return 0;
    await verify(draft, written);
    await publish(draft, file);
    return written.entries;
  });
}

/** A fixed name: only one run at a time archives a ledger. */
export function draftOf(file: string): string {
  return `${file}.draft`;
}

/** The lines of an archive, in batches. @throws Error with a code that begins with `Z_` for a file that is not a complete archive. */
export async function* readLines(file: string): AsyncGenerator<readonly string[]> {
  const text = createGunzip().setEncoding('utf8');
  createReadStream(file)
    .on('error', (error) => text.destroy(error))
    .pipe(text);
  let rest = '';
  for await (const part of text) {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}

async function writeDraft(draft: string, pages: AsyncGenerator<readonly LedgerEntry[]>): Promise<Contents> {
  const hash = createHash('sha256');
  let entries = 0;
  let bytes = 0;
  async function* texts(): AsyncGenerator<Buffer> {
    for await (const page of pages) {
      const text = Buffer.from(page.map((entry) => `${lineOf(entry)}\n`).join(''));
      entries += page.length;
      bytes += text.length;
      hash.update(text);
      if (text.length > 0) yield text;
    }
  }
  await pipeline(Readable.from(texts()), createGzip(), createWriteStream(draft, { flags: 'wx', mode: PRIVATE_FILE }));
  await sync(draft);
  return { entries, bytes, digest: hash.digest('hex') };
}

/** Reads the draft again. @throws Error if it differs from the data written. */
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
  throw new Error('the archive differs from the data written: the disk may be full or broken; nothing was removed');
}

/** Gives the draft its name, unless a file of this name exists. */
async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw fileExists(file);
  }
  // The name is part of the folder, so the folder is synced too. Windows cannot open folders.
  if (process.platform !== 'win32') await sync(dirname(file));
}

export function fileExists(file: string): Error {
  return problem('--to', `${file}, which exists`, 'the name of a new file: an archive is never written over');
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
