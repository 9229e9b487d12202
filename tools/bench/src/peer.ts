import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Another gateway, MIT, installed only by a run that measures it: as a dependency, every checkout would carry its 95 packages. */
const PACKAGE = '@portkey-ai/gateway';
export const PEER_VERSION = '1.15.2';
/** With 1.19.19, the newest that the peer allows, each of its streams ends in a 500: "TypeError: immutable" (2026-11-27, Node 20.20.2). */
const OVERRIDES = { '@hono/node-server': '1.13.8' };
const INSTALL_TIMEOUT_MS = 300_000;
const CACHE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Installs the peer by npm, unless an earlier run did. @returns the script that starts the peer. @throws Error if npm fails. */
export async function installPeer(): Promise<string> {
  const folder = path.join(CACHE, `peer-${PEER_VERSION}`);
  await mkdir(folder, { recursive: true });
  // npm writes this file last.
  if (!existsSync(path.join(folder, 'node_modules/.package-lock.json'))) {
    const manifest = { private: true, dependencies: { [PACKAGE]: PEER_VERSION }, overrides: OVERRIDES };
    await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  }
  return path.join(folder, 'node_modules', PACKAGE, 'build/start-server.js');
}
