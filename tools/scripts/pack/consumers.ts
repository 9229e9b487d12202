import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { run } from './run.js';
import type { Packed } from './tarballs.js';

const TYPESCRIPT_PROJECTS = ['ts-cjs', 'ts-esm', 'ts-bundler', 'ts-node10'];

/** Installs the tarballs with npm in a copy of tools/scripts/consumers. @returns its folder. */
export function installConsumers(packed: readonly Packed[], scratch: string): string {
  const folder = join(scratch, 'consumers');
  cpSync(join(import.meta.dirname, '..', 'consumers'), folder, { recursive: true });
  const manifestPath = join(folder, 'package.json');
  const manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });
  const consumer = manifest.parse(JSON.parse(readFileSync(manifestPath, 'utf8')));
  for (const { manifest: packedManifest, tarball } of packed)
    consumer.dependencies[packedManifest.name] = `file:${tarball}`;
  writeFileSync(manifestPath, JSON.stringify(consumer, null, 2));
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder });
  return folder;
}

/** Every importable specifier of the packages: `@searchgate/core`, `@searchgate/core/node`, … */
function specifiersOf(packed: readonly Packed[]): string[] {
  return packed.flatMap(({ manifest }) =>
    Object.keys(manifest.exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => manifest.name + subpath.slice(1)),
  );
}

/** Imports all specifiers from CommonJS, ESM and TypeScript. */
export function checkConsumers(packed: readonly Packed[], folder: string): void {
  const specifiers = specifiersOf(packed);
  const cjs = run('node', ['cjs/list-exports.cjs', ...specifiers], { cwd: folder });
  const esm = run('node', ['esm/list-exports.mjs', ...specifiers], { cwd: folder });
  assert.equal(cjs, esm, 'the CJS and ESM builds export different names');
  console.log(`ok  CJS and ESM consumers\n${esm.trimEnd()}`);

  run('node', ['cjs/ai-sdk.cjs'], { cwd: folder });
  console.log('ok  The AI SDK asks a model from CommonJS');
  const version = run(join(folder, 'node_modules/.bin/searchgate-mcp'), ['--version'], { cwd: folder }).trim();
  assert.equal(version, packed.find(({ manifest }) => manifest.name === '@searchgate/mcp')?.manifest.version);
  console.log(`ok  searchgate-mcp ${version} starts`);

  const imports = specifiers.map((specifier, index) => `export * as entry${index} from '${specifier}';\n`).join('');
  for (const project of TYPESCRIPT_PROJECTS) {
    writeFileSync(join(folder, project, 'entries.ts'), imports);
    run(join(folder, 'node_modules/.bin/tsc'), ['-p', project], { cwd: folder });
    console.log(`ok  TypeScript consumer ${project}`);
  }
}
