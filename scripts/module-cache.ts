import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

/**
 * Lets Vitest's cache of compiled modules notice changes of the manifests. It keeps modules by their text, with the files that their imports were
 * resolved to. So without this it would go on finding what a package no longer exports.
 */
export function cacheByManifests(root: string): Plugin {
  return {
    name: 'cache-by-manifests',
    configureVitest({ experimental_defineCacheKeyGenerator: addToKey }) {
      const hash = hashOfManifests(root);
      addToKey(() => hash);
    },
  };
}

/** Of all that decides what an import leads to and how TypeScript is compiled, besides the lock file, which Vitest looks at. */
export function hashOfManifests(root: string): string {
  const hash = createHash('sha256');
  for (const path of manifestsIn(root)) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

function manifestsIn(root: string): string[] {
  const isManifest = (name: string) => name === 'package.json' || /^tsconfig.*\.json$/.test(name);
  const folders = ['packages', 'examples', 'testing'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  return ['.', ...folders].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter(isManifest)
      .sort()
      .map((name) => join(folder, name)),
  );
}
