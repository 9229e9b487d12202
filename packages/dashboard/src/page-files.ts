import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GatewayResponse } from '@searchgate/core';
import { respond } from './api/exchange.js';

/** The responses of the built page by path, such as `/assets/index-3f2a.js`; the page itself is `/`. */
export type PageFiles = ReadonlyMap<string, GatewayResponse>;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** File names contain a hash of the content. Shared caches may not keep the files: they are for permitted users. */
const IMMUTABLE = { 'cache-control': 'private, max-age=31536000, immutable' };

/** Reads the built page at the first request, and again after a failure. */
export function pageReader(folder: string | undefined): () => Promise<PageFiles> {
  let files: Promise<PageFiles> | undefined;
  return () => {
    files ??= readPage(folder ?? builtPage()).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

/** The page in the built package, or the last build when run from source. */
function builtPage(): string {
  const folders = ['./page/', '../dist/page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const built = folders.find((folder) => existsSync(join(folder, 'index.html')));
  if (built === undefined)
    throw new Error(
      'the page of the dashboard is not built: run "node tools/scripts/build-page-if-needed.mjs" in the repository',
    );
  return built;
}

async function readPage(folder: string): Promise<PageFiles> {
  const assets = await readdir(join(folder, 'assets'));
  const page = await fileResponse(join(folder, 'index.html'), {});
  const others = assets.map(
    async (name) => [`/assets/${name}`, await fileResponse(join(folder, 'assets', name), IMMUTABLE)] as const,
  );
  return new Map([['/', page], ...(await Promise.all(others))]);
}

async function fileResponse(path: string, headers: Readonly<Record<string, string>>): Promise<GatewayResponse> {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  return respond(200, await readFile(path), { 'content-type': type, ...headers });
}
