import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '@searchgate/core';
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

/**
 * Replaces the text of a file as a whole: no process reads a part of it. Its owner and its mode stay, and a link to it. The draft keeps other commands out.
 *
 * @param change reads the file and returns its new text.
 * @throws ConfigurationError if it cannot be written, and what `change` throws; then the file stays as it is.
 */
export function changeFile({ file, what }: PrivateFile, change: () => string): void {
  try {
    const target = realpathSync(file);
    const { mode, uid, gid } = statSync(target);
    const draft = `${target}.draft`;
    const handle = openDraft(draft, what);
    try {
      fchownSync(handle, uid, gid);
      fchmodSync(handle, mode);
      writeFileSync(handle, change());
      fsyncSync(handle);
      renameSync(draft, target);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw error instanceof ConfigurationError ? error : unusable(what, error);
  }
}

function openDraft(draft: string, what: string): number {
  try {
    return openSync(draft, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw problem(what, draft, 'no such file: another command is changing this file, or was killed; then remove it');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

function unusable(what: string, error: unknown): Error {
  return problem(what, (error as Error).message, 'a file this user may read and write');
}
