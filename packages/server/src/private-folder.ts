import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE_FOLDER = 0o700;

/**
 * Makes a folder for this user alone, with those above it that are missing. One by one, since `recursive` of Node 20 never ends where the system says
 * "no such file" of a folder that exists, as below `/proc`.
 *
 * @param folder an absolute path. @throws the system's error.
 */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  makePrivateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another process may have made it since.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
