import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE_FOLDER = 0o700;

/**
 * Makes a folder and its missing parents for this user alone. One by one: `recursive` of Node 20 loops forever if the system reports "no such file" for
 * an existing folder, as below `/proc`.
 *
 * @param folder an absolute path. @throws the system's error.
 */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  makePrivateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
