/**
 * Packs every published package and checks the tarballs the way a user meets them:
 * publint, are-the-types-wrong, and an installation into CJS, ESM and TypeScript consumers.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const CORE_DEPENDENCIES = ['lru-cache', 'undici', 'zod'];
const root = join(import.meta.dirname, '..');

const manifestSchema = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.unknown()),
  dependencies: z.record(z.string(), z.string()).default({}),
});
type Manifest = z.infer<typeof manifestSchema>;

interface Packed {
  manifest: Manifest;
  tarball: string;
}

/** Runs a program and shows its output only if it fails. */
function run(program: string, args: string[], cwd = root): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed in ${cwd}\n${stdout}${stderr}`, { cause: error });
  }
}

function pack(folder: string, destination: string): Packed {
  assert(existsSync(join(folder, 'dist')), `${folder}/dist is missing: build first`);
  const tarball = join(destination, `${folder.split('/').at(-1)}.tgz`);
  run('pnpm', ['pack', '--out', tarball], folder);
  // The packed manifest, because pnpm rewrites exports, catalog: and workspace: while packing.
  const manifest = manifestSchema.parse(JSON.parse(run('tar', ['-xOf', tarball, 'package/package.json'])));
  return { manifest, tarball };
}

function checkTarball({ manifest, tarball }: Packed): void {
  assert(!JSON.stringify(manifest).includes('@searchgate/source'), `${manifest.name} publishes its source condition`);
  assert(!/"(workspace|catalog):/.test(JSON.stringify(manifest)), `${manifest.name} publishes a workspace protocol`);
  if (manifest.name === '@searchgate/core') {
    assert.deepEqual(Object.keys(manifest.dependencies).sort(), CORE_DEPENDENCIES);
  }
  run('publint', ['run', tarball, '--strict']);
  // node16 leaves out the resolver of Node 10, which knows no subpath exports.
  run('attw', [tarball, '--profile', 'node16']);
  console.log(`ok  ${manifest.name}: publint, are-the-types-wrong`);
}

/** Every importable specifier of the packages: `@searchgate/core`, `@searchgate/core/node`, … */
function specifiersOf(packed: Packed[]): string[] {
  return packed.flatMap(({ manifest }) =>
    Object.keys(manifest.exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => manifest.name + subpath.slice(1)),
  );
}

function checkConsumers(packed: Packed[], scratch: string): void {
  const consumers = join(scratch, 'consumers');
  cpSync(join(import.meta.dirname, 'consumers'), consumers, { recursive: true });
  const manifestPath = join(consumers, 'package.json');
  const manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });
  const consumer = manifest.parse(JSON.parse(readFileSync(manifestPath, 'utf8')));
  for (const {
    manifest: { name },
    tarball,
  } of packed)
    consumer.dependencies[name] = `file:${tarball}`;
  writeFileSync(manifestPath, JSON.stringify(consumer, null, 2));
  run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], consumers);

  const specifiers = specifiersOf(packed);
  const cjs = run('node', ['cjs/list-exports.cjs', ...specifiers], consumers);
  const esm = run('node', ['esm/list-exports.mjs', ...specifiers], consumers);
  assert.equal(cjs, esm, 'the CJS and ESM builds export different names');
  console.log(`ok  CJS and ESM consumers\n${esm.trimEnd()}`);

  const imports = specifiers.map((specifier, index) => `export * as entry${index} from '${specifier}';\n`).join('');
  for (const project of ['ts-cjs', 'ts-esm', 'ts-bundler']) {
    writeFileSync(join(consumers, project, 'entries.ts'), imports);
    run(join(consumers, 'node_modules/.bin/tsc'), ['-p', project], consumers);
    console.log(`ok  TypeScript consumer ${project}`);
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'searchgate-pack-'));
try {
  const packages = readdirSync(join(root, 'packages'));
  const packed = packages.map((name) => pack(join(root, 'packages', name), scratch));
  packed.forEach(checkTarball);
  checkConsumers(packed, scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
