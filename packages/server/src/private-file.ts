import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Reads a small text. @returns `undefined` when there is no such file. */
export function readPrivate(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Keeps a text in a file that only this user may read, unless there is one already. Written aside and then named: of several processes that start at once
 * the first wins, and none reads half a file.
 *
 * @returns whether the file is ours.
 */
export function writePrivateOnce(file: string, text: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${text}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft);
  }
}
