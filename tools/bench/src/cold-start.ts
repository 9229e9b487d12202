import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTurns } from './drive.js';
import { present, section, table, withSpread } from './report.js';
import type { Stage } from './stage.js';
import { figure } from './statistics.js';

const TEXT = `Each time in a new process, with the files of the disk in memory. "First answer" counts from before the process starts until the reply has come. The imports count from the first line of the program, in Node without a server.`;
/** Its dependencies are resolved from there. */
const CORE = fileURLToPath(new URL('../../../../../packages/core', import.meta.url));
const PROGRAMS = {
  'import zod, undici': `await Promise.all([import('zod'), import('undici')]);`,
  'import @searchgate/core and its providers, createGateway': `
    const { createGateway, memoryApiKeys, memoryLedger } = await import('@searchgate/core');
    const { exa } = await import('@searchgate/core/providers');
    createGateway({ providers: [exa({ apiKey: 'exa-key' })], apiKeys: memoryApiKeys(), ledger: memoryLedger() });`,
};

/** How soon a new process answers. */
export async function measureColdStart(stage: Stage, rounds: number): Promise<string> {
  // A durable ledger would be another one with each start.
  const servers = stage.servers.filter(({ target }) => target.ledger === undefined);
  const starts = await inTurns(servers, rounds, async ({ target }) => {
    const startedMs = performance.now();
    const { child } = await stage.start(target);
    const tookMs = performance.now() - startedMs;
    await child.stop();
    return tookMs;
  });
  const rows = present(starts).map(([{ name }, times]) => [`${name}: first answer`, withSpread(figure(times))]);
  const imports = new Map<string, number[]>(Object.keys(PROGRAMS).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, program] of Object.entries(PROGRAMS)) imports.get(name)?.push(await run(program));
  const own = [...imports].map(([name, times]) => [name, withSpread(figure(times))]);
  return section('Cold start', TEXT, table(['what', 'ms'], [...rows, ...own]));
}

/** @returns how long it took, in milliseconds. */
async function run(program: string): Promise<number> {
  const timed = `const began = performance.now();${program};console.log(performance.now() - began);process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', timed], { cwd: CORE });
  return Number(stdout);
}
