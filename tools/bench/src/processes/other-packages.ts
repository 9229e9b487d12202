import { existsSync } from 'node:fs';
import { type ResolveHook, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a script so that it uses the packages of another checkout: `?checkout=<path>`. The script and its framework stay the same.
 * Node loads this module again in the thread of its loader, which calls `resolve`.
 */
const checkout = new URL(import.meta.url).searchParams.get('checkout') ?? '';
// Older commits have the benchmark in the root folder.
const folder = ['tools/bench', 'bench'].find((name) => existsSync(path.resolve(checkout, name))) ?? 'tools/bench';
const from = pathToFileURL(path.resolve(checkout, folder, 'package.json')).href;

export const resolve: ResolveHook = (specifier, context, nextResolve) =>
  nextResolve(specifier, specifier.startsWith('@searchgate/') ? { ...context, parentURL: from } : context);

if (isMainThread) register(import.meta.url);
