import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '@searchgate/core';
import { problem } from './problems.js';

const OWN_FORM = /^sg_[0-9a-f]{12}_[\w-]{22,}$/;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** The demo key's secret, and the file it is kept in; `null` where it is forgotten with the process. */
export interface DemoSecret {
  readonly secret: string;
  readonly file: string | null;
}

/**
 * The secret of the demo key. In a folder it is kept in a file that only this user may read, so that the key works after a restart; it is made where
 * there is none.
 *
 * @throws ConfigurationError when the file holds something else, or cannot be read or written.
 */
export function demoSecret(folder: string | null): DemoSecret {
  if (folder === null) return { secret: generateApiKey().secret, file: null };
  const file = join(folder, 'demo-key');
  try {
    return { secret: readSecret(file) ?? makeSecret(folder, file), file };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw problem('the demo key', (error as Error).message, 'a file this user may read and write');
  }
}

function readSecret(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (OWN_FORM.test(text)) return text;
  throw problem(
    'the demo key',
    `something else in ${file} (not shown)`,
    'an API key; remove the file to get a new one',
  );
}

/** Written aside and then named: of several processes that start at once all use the key of the first, and none reads half a file. */
function makeSecret(folder: string, file: string): string {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const { secret } = generateApiKey();
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${secret}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
  try {
    linkSync(draft, file);
    return secret;
  } catch (error) {
    const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecret(file) : undefined;
    if (winner === undefined) throw error;
    return winner;
  } finally {
    rmSync(draft);
  }
}
