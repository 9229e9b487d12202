import { join } from 'node:path';
import { readPrivate, writePrivateOnce } from '../private-file.js';
import { problem } from '../problems.js';
import { hashRandomPassword, isPasswordHash, randomPassword } from './password.js';

const WHAT = 'the password of the page';

/** The password of the page for operators. */
export interface AdminPassword {
  readonly hash: string;
  /** A newly made password, to be shown once; else `null`. */
  readonly made: string | null;
}

/**
 * The password: the operator's own by its hash, else a password made at the first start, whose hash is stored in a folder.
 *
 * @param folder `null` without durable storage: then every start makes a new password.
 * @throws ConfigurationError for a file with other content, or one that cannot be read or written.
 */
export function adminPassword(given: string | null, folder: string | null): AdminPassword {
  if (given !== null) return { hash: given, made: null };
  const file = folder === null ? null : join(folder, 'admin-password');
  const kept = file === null ? undefined : readHash(file);
  if (kept !== undefined) return { hash: kept, made: null };
  const password = randomPassword();
  const hash = hashRandomPassword(password);
  if (file === null || writePrivateOnce({ file, what: WHAT }, hash)) return { hash, made: password };
  // Another process has started at the same time, and shows its own password.
  return { hash: readHash(file) ?? hash, made: null };
}

function readHash(file: string): string | undefined {
  const text = readPrivate({ file, what: WHAT });
  if (text === undefined || isPasswordHash(text)) return text;
  throw problem(
    WHAT,
    `something else in ${file} (not shown)`,
    'the hash of a password; remove the file to get a new one',
  );
}
