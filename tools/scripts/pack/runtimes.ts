import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/** Long: each program takes a few seconds. */
const TIMEOUT_MS = 180_000;

/**
 * The binaries are in a package per platform. Install scripts would move them to the folder of the `bun` and `deno` commands, but npm may be
 * set not to run scripts, so this code finds the binaries itself.
 */
function binaryOf(consumers: string, scope: string, file: string): string {
  const folder = join(consumers, 'node_modules', scope);
  const found = readdirSync(folder).map((name) => join(folder, name, file));
  const binary = found.find((path) => existsSync(path));
  if (binary === undefined) throw new Error(`no ${file} in ${folder}: npm installed no binary for this platform`);
  return binary;
}

/** Serves the packed gateway on each runtime, from npm's node_modules: all rows of the HTTP contract on Node, every fifth row elsewhere. */
export function checkRuntimes(consumers: string): void {
  const runtimes = [
    { name: 'Node', program: process.execPath, args: [], everyNth: 1 },
    { name: 'Bun', program: binaryOf(consumers, '@oven', 'bin/bun'), args: ['run'], everyNth: 5 },
    {
      name: 'Deno',
      program: binaryOf(consumers, '@deno', 'deno'),
      args: ['run', '--allow-all', '--node-modules-dir=manual'],
      everyNth: 5,
    },
  ];
  const env = { NODE_EXTRA_CA_CERTS: join(consumers, 'runtimes', 'tls', 'ca.pem') };
  for (const { name, program, args, everyNth } of runtimes) {
    const version = run(program, ['--version']).trim().split('\n')[0];
    const printed = ['smoke.mjs', 'client.mjs', 'conformance.mjs'].map((file) =>
      run(program, [...args, join('runtimes', file), String(everyNth)], {
        cwd: consumers,
        env,
        timeoutMs: TIMEOUT_MS,
      }).trimEnd(),
    );
    console.log([`ok  ${name} (${version}) serves`, ...printed].join('\n'));
  }
  run('node', ['cjs/unfit-runtime.cjs'], { cwd: consumers });
  console.log('ok  A runtime that replaces undici is refused at start');
}
