import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';
import type { Packed } from './tarballs.js';

const SERVER = '@searchgate/server';
/** Time limit of start, answer and stop. */
const TIMEOUT_MS = 120_000;

/** Installs only the server with its dependencies, and serves and administers from an empty folder. */
export function checkServer(packed: readonly Packed[], scratch: string): void {
  const folder = join(scratch, 'server');
  mkdirSync(join(folder, 'empty'), { recursive: true });
  cpSync(join(import.meta.dirname, '..', 'consumers', 'server'), folder, { recursive: true });
  const dependencies = Object.fromEntries(
    needed(packed).map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder });

  const version = run('npx', ['--no-install', 'searchgate', '--version'], { cwd: folder }).trim();
  assert.equal(version, packed.find(({ manifest }) => manifest.name === SERVER)?.manifest.version);
  const printed = run('node', ['serve.mjs'], { cwd: folder, timeoutMs: TIMEOUT_MS });
  console.log(`ok  searchgate ${version} serves and administers from an empty folder\n${printed.trimEnd()}`);
}

/** The server and its direct and indirect dependencies. */
function needed(packed: readonly Packed[]): Packed[] {
  const names = new Set([SERVER]);
  // Iterating a set includes entries added meanwhile.
  for (const name of names) {
    const { dependencies = {} } = packed.find(({ manifest }) => manifest.name === name)?.manifest ?? {};
    for (const other of Object.keys(dependencies)) if (other.startsWith('@searchgate/')) names.add(other);
  }
  return packed.filter(({ manifest }) => names.has(manifest.name));
}
