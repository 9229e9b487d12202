import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makePrivateFolder } from './private-folder.js';
import { problem } from './problems.js';

const PRIVATE_FILE = 0o600;

/** A small text in a file that only this user can read. */
export interface PrivateFile {
  readonly file: string;
  /** Describes the content, for messages. */
  readonly what: string;
}

/** Reads the text. @returns `undefined` if the file is missing. @throws ConfigurationError if it cannot be read. */
export function readPrivate({ file, what }: PrivateFile): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unusable(what, error);
  }
}

/**
 * Stores a text unless the file exists. The text is written aside, then linked: if several processes start at once, the first wins, and none reads a
 * partial file.
 *
 * @returns whether this call created the file.
 * @throws ConfigurationError if it cannot be written.
 */
export function writePrivateOnce({ file, what }: PrivateFile, text: string): boolean {
  try {
    makePrivateFolder(dirname(resolve(file)));
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, `${text}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
    try {
      linkSync(draft, file);
      return true;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      return false;
    } finally {
      rmSync(draft);
    }
  } catch (error) {
    throw unusable(what, error);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

function unusable(what: string, error: unknown): Error {
  return problem(what, (error as Error).message, 'a file this user may read and write');
}
