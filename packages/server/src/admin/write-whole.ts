import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Statements of other people's money are for this user alone. */
const PRIVATE_FILE = 0o600;

/** Writes a file that gets its name only when it is complete, so that half an export is not mistaken for a whole one. @returns what `write` returns. */
export async function writeWhole<T>(
  file: string,
  write: (out: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', PRIVATE_FILE);
  try {
    const result = await write(async (text) => {
      await handle.writeFile(text);
    });
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    return result;
  } catch (error) {
    await handle.close();
    await rm(draft, { force: true });
    throw error;
  }
}
