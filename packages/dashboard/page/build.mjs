/*
 * Builds the page: the entry with hashed assets, and the licenses of the bundled packages, which have to ship with the bundle. All URLs are relative
 * and nothing is inline, so that the page works below any path and under a strict Content-Security-Policy. An argument names another folder.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const page = import.meta.dirname;

/** @param {string} folder is emptied first. */
async function buildPage(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: page,
    entryPoints: ['src/main.tsx'],
    outdir: folder,
    entryNames: 'assets/index-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The client is bundled from source, so the page needs no earlier build.
    conditions: ['@searchgate/source', 'module', 'browser'],
    metafile: true,
  });
  const assets = (await readdir(join(folder, 'assets'))).map((name) => `./assets/${name}`);
  const tags = assets.map((path) =>
    path.endsWith('.css')
      ? `<link rel="stylesheet" href="${path}" />`
      : `<script type="module" src="${path}"></script>`,
  );
  const html = await readFile(join(page, 'index.html'), 'utf8');
  await writeFile(join(folder, 'index.html'), html.replace('<!-- assets -->', tags.join('\n    ')));
  // A file named as a license would keep pnpm from adding our own to the tarball.
  await writeFile(join(folder, 'third-party.md'), await licenses(Object.keys(metafile.inputs)));
}

/** The license of each package of `node_modules` that these files belong to. */
async function licenses(paths) {
  const roots = new Set(paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...roots].map(async (path) => {
    const folder = resolve(page, path);
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} ships no license`);
    return `## ${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
  });
  return `# Licenses of the bundled packages\n\n${(await Promise.all(texts)).sort().join('\n')}`;
}

const [folder = join(page, '../dist/page')] = process.argv.slice(2);
await buildPage(folder);
