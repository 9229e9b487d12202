/*
 * Builds the page of the dashboard before a command that serves it from source. Without changes since the last build it takes about 10 ms and prints
 * nothing.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const dashboard = join(import.meta.dirname, '../../packages', 'dashboard');
const builtAt = statSync(join(dashboard, 'dist/page/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
/** The sources of the page: its own files, and the client. */
const sources = [
  'page/src',
  'page/index.html',
  'page/build.mjs',
  'page/package.json',
  'src/api/contract.ts',
  '../client/src',
].map((path) => join(dashboard, path));

if (sources.some((path) => newestIn(path) >= builtAt)) build();

function newestIn(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function build() {
  // On stderr, so that the command's output can be piped.
  const { status } = spawnSync(process.execPath, [join(dashboard, 'page/build.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
