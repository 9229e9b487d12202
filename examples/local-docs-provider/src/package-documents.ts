import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { LocalDocument } from './local-document.js';
import { markdownFilesIn } from './markdown-files.js';

/** A package whose documentation ships inside it. */
export interface DocumentedPackage {
  readonly name: string;
  /** Where the package lives in its repository, when its package.json does not say (`repository.directory`). */
  readonly directory?: string;
}

/**
 * The packages that are indexed without any configuration: those the examples are built on, as far as they ship real documentation.
 * Each tags its releases `v<version>` on GitHub (tags of all eight read on 2026-11-21), and only zod's repository has folders above the package.
 */
export const DOCUMENTED_PACKAGES: readonly DocumentedPackage[] = [
  { name: 'undici' },
  { name: 'pino' },
  { name: 'express' },
  { name: 'koa' },
  { name: '@koa/router' },
  { name: 'zod', directory: 'packages/zod' },
  { name: 'lru-cache' },
  { name: 'minisearch' },
];

/** Options of {@link packageDocuments}. */
export interface PackageDocumentsOptions {
  /** Default: {@link DOCUMENTED_PACKAGES}. */
  readonly packages?: readonly DocumentedPackage[];
  /** `import.meta.url` of a module that can see the packages. Default: this module. */
  readonly from?: string;
}

/**
 * The README and the `docs` folder of installed packages, with their public addresses for the installed version.
 *
 * @throws Error when a package is not installed.
 */
export function packageDocuments({
  packages = DOCUMENTED_PACKAGES,
  from = import.meta.url,
}: PackageDocumentsOptions = {}): LocalDocument[] {
  return packages.flatMap(({ name, directory }) => {
    const folder = packageFolder(name, from);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const addressOf = publicAddress(name, manifest, directory);
    return markdownFilesIn(folder, isDocumentation).map(({ path, markdown }) => ({
      source: name,
      url: addressOf(path),
      markdown,
    }));
  });
}

interface Manifest {
  readonly version: string;
  readonly repository?: string | { readonly url: string; readonly directory?: string };
}

function isDocumentation(path: string): boolean {
  return /^readme\.md$/i.test(path) || path.startsWith('docs/');
}

/**
 * Finds a package in the folders Node would look in. Resolving its entry or its package.json instead would fail for packages whose
 * `exports` hide them; links (pnpm) are followed, so that the files of the installed version are read.
 */
function packageFolder(name: string, from: string): string {
  const places = createRequire(from).resolve.paths(name) ?? [];
  const place = places.find((folder) => existsSync(join(folder, name, 'package.json')));
  if (place === undefined)
    throw new Error(`The documentation of "${name}" cannot be indexed: the package is not installed.`);
  return realpathSync(join(place, name));
}

/** From a path inside a package to the page people read: the file at the version's tag on GitHub, or else the package's npm page. */
function publicAddress(
  name: string,
  { version, repository }: Manifest,
  directory: string | undefined,
): (path: string) => string {
  const { url, directory: declared } =
    typeof repository === 'string' ? { url: repository } : (repository ?? { url: '' });
  const slug =
    /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(url)?.[1] ?? /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1];
  if (slug === undefined) return () => `https://www.npmjs.com/package/${name}/v/${version}`;
  const prefix = [directory ?? declared].filter((part) => part !== undefined).map((part) => `${part}/`);
  return (path) => `https://github.com/${slug}/blob/v${version}/${prefix.join('')}${path}`;
}
