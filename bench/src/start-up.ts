import { setTimeout } from 'node:timers/promises';
import { announceReady, serve } from './processes/serve.js';

/** How long a fresh process took from nothing to a finished gateway, or to the imports it cannot do without. */
export interface StartUp {
  readonly milliseconds: number;
  /** Timers, sockets and the like that the imports alone have opened. */
  readonly activeResources: readonly string[];
}

/** The module loader closes its last files a moment after an import. */
const LOADER_SETTLES_MS = 20;
/** The pipe is the channel to the parent, the port that to the thread of a module loader. */
const OURS = new Set(['PipeWrap', 'MessagePort']);

async function startFloor(): Promise<StartUp> {
  const startedMs = performance.now();
  await import('zod');
  await import('undici');
  return { milliseconds: performance.now() - startedMs, activeResources: [] };
}

async function startGateway(): Promise<StartUp> {
  const startedMs = performance.now();
  const { createGateway, memoryApiKeys, memoryLedger } = await import('@searchgate/core');
  const { exa } = await import('@searchgate/core/providers');
  const importedMs = performance.now();
  await setTimeout(LOADER_SETTLES_MS);
  const activeResources = process.getActiveResourcesInfo().filter((resource) => !OURS.has(resource));
  const createdMs = performance.now();
  const apiKey = { apiKey: 'bench-key-of-the-benchmark', label: 'bench', organizationId: 'bench', limit: '5.00' };
  createGateway({
    providers: [exa({ apiKey: 'exa-key' })],
    apiKeys: memoryApiKeys([apiKey]),
    ledger: memoryLedger({ credits: { bench: '25.00' } }),
  });
  return { milliseconds: importedMs - startedMs + performance.now() - createdMs, activeResources };
}

announceReady(await (process.argv[2] === 'floor' ? startFloor() : startGateway()));
serve({});
