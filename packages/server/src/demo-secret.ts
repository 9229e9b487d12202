import { join } from 'node:path';
import { generateApiKey } from '@searchgate/core';
import { readPrivate, writePrivateOnce } from './private-file.js';
import { problem } from './problems.js';

const WHAT = 'the demo key';
const OWN_FORM = /^sg_[0-9a-f]{12}_[\w-]{22,}$/;

/** The demo key's secret and its file; `null` without a file, when the secret is lost at exit. */
export interface DemoSecret {
  readonly secret: string;
  readonly file: string | null;
}

/**
 * The secret of the demo key. With a folder it is stored in a file that only this user can read, so that the key works after a restart; a missing file
 * is created.
 *
 * @throws ConfigurationError for a file with other content, or one that cannot be read or written.
 */
export function demoSecret(folder: string | null): DemoSecret {
  if (folder === null) return { secret: generateApiKey().secret, file: null };
  const file = join(folder, 'demo-key');
  return { secret: readSecret(file) ?? makeSecret(file), file };
}

function readSecret(file: string): string | undefined {
  const text = readPrivate({ file, what: WHAT });
  if (text === undefined || OWN_FORM.test(text)) return text;
  throw problem(WHAT, `something else in ${file} (not shown)`, 'an API key; remove the file to get a new one');
}

/** If several processes start at once, all use the key of the first. */
function makeSecret(file: string): string {
  const { secret } = generateApiKey();
  const kept = writePrivateOnce({ file, what: WHAT }, secret) ? secret : readSecret(file);
  if (kept === undefined) throw new Error(`${file} was removed while it was read`);
  return kept;
}
