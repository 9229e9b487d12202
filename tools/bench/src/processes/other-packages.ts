import { existsSync } from 'node:fs';
import { type ResolveHook, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a script to let it use the packages of another checkout: `?checkout=<path>`. The script and its framework stay ours.
 * Node loads this module a second time in the thread of its loader, which calls `resolve`.
 */
const checkout = new URL(import.meta.url).searchParams.get('checkout') ?? '';
// Commits before the folder `tools` have the benchmark in the root.
const folder = ['tools/bench', 'bench'].find((name) => existsSync(path.resolve(checkout, name))) ?? 'tools/bench';
const from = pathToFileURL(path.resolve(checkout, folder, 'package.json')).href;

export const resolve: ResolveHook = (specifier, context, nextResolve) =>
  nextResolve(specifier, specifier.startsWith('@searchgate/') ? { ...context, parentURL: from } : context);

if (isMainThread) register(import.meta.url);
