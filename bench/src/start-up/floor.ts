import { announceReady } from '../processes/commands.js';
import type { StartUp } from './start-up.js';

const startedMs = performance.now();
await import('zod');
await import('undici');
announceReady({ milliseconds: performance.now() - startedMs, activeResources: [] } satisfies StartUp);
