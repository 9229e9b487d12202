import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace with a package, and an `npx` that records its arguments. */
function workspace({ npxExits = 0 } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'searchgate-install-'));
  folders.push(root);
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  write('package.json', JSON.stringify({ packageManager: 'pnpm@1.2.3' }));
  for (const path of [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'tools/bench/package.json',
    'packages/core/package.json',
    'packages/dashboard/page/package.json',
    'packages/dashboard/package.json',
  ])
    write(path, '{}');
  mkdirSync(join(root, 'examples'));
  mkdirSync(join(root, 'tools/scripts'), { recursive: true });
  write('bin/npx', `#!/bin/sh\necho "$@" >> '${root}/calls'\necho progress\nexit ${npxExits}\n`, 0o755);
  cpSync(join(import.meta.dirname, 'install-if-needed.mjs'), join(root, 'tools/scripts/install-if-needed.mjs'));
  return {
    run: (...names: string[]) =>
      spawnSync(process.execPath, [join(root, 'tools/scripts/install-if-needed.mjs'), ...names], {
        encoding: 'utf8',
        env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
      }),
    calls: () => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : []),
    write,
    change: (path: string) => {
      const later = Date.now() / 1_000 + 60;
      utimesSync(join(root, path), later, later);
    },
  };
}

it('installs with the pinned pnpm the first time, reports it only on stderr, and is silent afterwards', () => {
  const { run, calls } = workspace();
  expect(run()).toMatchObject({ status: 0, stdout: '', stderr: 'progress\n' });
  expect(calls()).toEqual(['-y pnpm@1.2.3 install']);
  expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(calls()).toHaveLength(1);
});

it('installs for an example only what the example runs', () => {
  const { run, calls } = workspace();
  expect(run('koa-standalone').status).toBe(0);
  expect(calls()).toEqual([
    '-y pnpm@1.2.3 install --prod --filter-prod searchgate-workspace... --filter-prod @searchgate-examples/koa-standalone... --filter-prod @searchgate-internal/dashboard-page...',
  ]);
  run('koa-standalone');
  expect(calls()).toHaveLength(1);
  run('express-standalone');
  expect(calls()).toHaveLength(2);
  run();
  expect(calls()[2]).toBe('-y pnpm@1.2.3 install');
});

it('installs the whole workspace again for an example, so that nothing of it is removed', () => {
  const { run, calls, change } = workspace();
  run();
  run('koa-standalone');
  expect(calls()).toHaveLength(1);
  change('package.json');
  run('koa-standalone');
  expect(calls()[1]).toBe('-y pnpm@1.2.3 install');
});

it('keeps for an example what a plain installation brought', () => {
  const { run, calls, write } = workspace();
  write('node_modules/vitest/package.json', '{}');
  run('koa-standalone');
  expect(calls()).toEqual(['-y pnpm@1.2.3 install']);
});

it.each(['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', 'packages/core/package.json'])(
  'installs again when %s has changed',
  (path) => {
    const { run, calls, change } = workspace();
    run();
    change(path);
    run();
    expect(calls()).toHaveLength(2);
  },
);

it('exits like a failed installation, and tries again the next time', () => {
  const { run, calls } = workspace({ npxExits: 3 });
  expect(run().status).toBe(3);
  expect(run().status).toBe(3);
  expect(calls()).toHaveLength(2);
});

describe('the packages that npm start installs', () => {
  type Versions = Readonly<Record<string, string | { readonly version: string }>>;
  type Locked = Readonly<
    Record<string, { readonly dependencies?: Versions; readonly optionalDependencies?: Versions }>
  >;
  type Platforms = Readonly<Record<string, Partial<Record<'os' | 'cpu' | 'libc', readonly string[]>>>>;
  const root = join(import.meta.dirname, '../..');
  const lockFile = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as unknown;
  const { importers, snapshots, packages } = lockFile as { importers: Locked; snapshots: Locked; packages: Platforms };

  /** Adds all packages below one, on Linux with x64 and glibc. */
  function collect(key: string, found: Set<string>): void {
    const { dependencies, optionalDependencies } = importers[key] ?? snapshots[key] ?? {};
    for (const [name, given] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      const version = typeof given === 'string' ? given : given.version;
      const fromNpm = version in snapshots ? version : `${name}@${version}`;
      const next = version.startsWith('link:') ? join(key, version.slice(5)) : fromNpm;
      const { os = ['linux'], cpu = ['x64'], libc = ['glibc'] } = packages[next.replace(/\(.*/, '')] ?? {};
      const fits = os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
      if (fits && !found.has(next)) collect(next, found.add(next));
    }
  }

  it.each(['express-standalone', 'koa-standalone'])('are at most 130 for %s', (example) => {
    const found = new Set<string>();
    for (const importer of ['.', `examples/${example}`, 'packages/dashboard/page']) collect(importer, found);
    const count = [...found].filter((key) => key in snapshots).length;
    expect(count).toBeLessThanOrEqual(130);
    expect(count).toBeGreaterThan(50);
  });
});
