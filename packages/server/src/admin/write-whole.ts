import { open, realpath, rename, stat } from 'node:fs/promises';
import { problem } from '../problems.js';
import { withDraft } from './draft-file.js';

/** Statements of other people's money are for this user alone. */
const PRIVATE_FILE = 0o600;

/**
 * Writes a file that gets its name only when it is complete, so that half an export is not mistaken for a whole one.
 *
 * @returns what `write` returns.
 * @throws ConfigurationError for what is there and is no file.
 */
export async function writeWhole<T>(
  file: string,
  write: (out: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const place = await placeOf(file);
  return withDraft(`${place}.${process.pid}.draft`, async (draft) => {
    const handle = await open(draft, 'wx', PRIVATE_FILE);
    try {
      const result = await write(async (text) => {
        await handle.writeFile(text);
      });
      await handle.sync();
      await handle.close();
      await rename(draft, place);
      return result;
    } finally {
      await handle.close();
    }
  });
}

/** Where a link leads, so that it stays one. A pipe or a device would be replaced by a file, `/dev/null` among them. */
async function placeOf(file: string): Promise<string> {
  try {
    if ((await stat(file)).isFile()) return await realpath(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return file;
    throw error;
  }
  throw problem('--output', `${file}, which is no file`, 'the name of a file, or nothing for standard output');
}
