import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root, run } from './run.js';

const CORE_DEPENDENCIES = ['lru-cache', 'undici', 'zod'];

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  exports: z.record(z.string(), z.unknown()),
  dependencies: z.record(z.string(), z.string()).default({}),
});

export interface Packed {
  readonly manifest: z.output<typeof manifestSchema>;
  readonly tarball: string;
}

/** Packs every published package as `pnpm publish` would. */
export function packPackages(destination: string): Packed[] {
  return readdirSync(join(root, 'packages')).map((name) => pack(join(root, 'packages', name), destination));
}

function pack(folder: string, destination: string): Packed {
  assert(existsSync(join(folder, 'dist')), `${folder}/dist is missing: build first`);
  const tarball = join(destination, `${folder.split('/').at(-1)}.tgz`);
  run('pnpm', ['pack', '--out', tarball], { cwd: folder });
  // The packed manifest, since pnpm rewrites exports, catalog: and workspace: while packing.
  const manifest = manifestSchema.parse(JSON.parse(run('tar', ['-xOf', tarball, 'package/package.json'])));
  return { manifest, tarball };
}

/** The view of npm and TypeScript on a package, for every way of resolving modules. */
export function checkTarball({ manifest, tarball }: Packed): void {
  assert(!JSON.stringify(manifest).includes('@searchgate/source'), `${manifest.name} publishes its source condition`);
  assert(!/"(workspace|catalog):/.test(JSON.stringify(manifest)), `${manifest.name} publishes a workspace protocol`);
  if (manifest.name === '@searchgate/core') {
    assert.deepEqual(Object.keys(manifest.dependencies).sort(), CORE_DEPENDENCIES);
  }
  if (manifest.name === '@searchgate/client') checkStandsAlone({ manifest, tarball });
  run('publint', ['run', tarball, '--strict']);
  run('attw', [tarball, '--profile', 'strict']);
  console.log(`ok  ${manifest.name}: publint, are-the-types-wrong`);
}

/** Users of the client install no other package, so neither its code nor its types may import one. */
function checkStandsAlone({ manifest, tarball }: Packed): void {
  assert.deepEqual(manifest.dependencies, {});
  for (const file of ['index.js', 'index.cjs', 'index.d.ts', 'index.d.cts']) {
    const text = run('tar', ['-xOf', tarball, `package/dist/${file}`]);
    assert(!/\bfrom\s*['"]|\b(?:import|require)\s*\(/.test(text), `${manifest.name}/${file} imports another package`);
  }
}
