/*
 * Builds the page of the dashboard before a command that serves it from the source. When nothing has changed since the last time, it takes some 10 ms and
 * prints nothing.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const dashboard = join(import.meta.dirname, '../../packages', 'dashboard');
const builtAt = statSync(join(dashboard, 'dist/page/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
/** What the page is made of: its own files, and the client that it asks with. */
const sources = ['page', '../client/src', 'src/api/contract.ts', 'package.json'].map((path) => join(dashboard, path));

if (sources.some((path) => newestIn(path) >= builtAt)) build();

function newestIn(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function build() {
  const vite = join(
    dirname(createRequire(join(dashboard, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  const args = [vite, 'build', '--config', 'page/vite.config.ts', '--logLevel', 'warn'];
  // On stderr, so that what a command prints can be piped.
  const { status } = spawnSync(process.execPath, args, { cwd: dashboard, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
