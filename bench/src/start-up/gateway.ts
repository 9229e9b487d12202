import { setTimeout } from 'node:timers/promises';
import { announceReady } from '../processes/commands.js';
import { activeResources, type StartUp } from './start-up.js';

/** The module loader closes its last files a moment after an import. */
const LOADER_SETTLES_MS = 20;

const startedMs = performance.now();
const { createGateway, memoryApiKeys, memoryLedger } = await import('@searchgate/core');
const { exa } = await import('@searchgate/core/providers');
const importedMs = performance.now();
await setTimeout(LOADER_SETTLES_MS);
const resources = activeResources();
const createdMs = performance.now();
createGateway({
  providers: [exa({ apiKey: 'exa-key' })],
  apiKeys: memoryApiKeys([
    { apiKey: 'bench-key-of-the-benchmark', label: 'bench', organizationId: 'bench', limit: '5.00' },
  ]),
  ledger: memoryLedger({ credits: { bench: '25.00' } }),
});
announceReady({
  milliseconds: importedMs - startedMs + performance.now() - createdMs,
  activeResources: resources,
} satisfies StartUp);
