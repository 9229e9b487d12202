import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The heap must not be collected meanwhile; the packages are read as source. */
const FLAGS = ['--min-semi-space-size=256', '--max-semi-space-size=256', '--conditions=@searchgate/source'];
/** What an answer took on 2026-11-30 with Node 20: 24 promises, node's own included, and 71.7 to 73.4 kB. An `await` more makes one or two promises. */
const MOST = { promises: 25, kilobytes: 75 };

it('an answer takes few promises and little memory, on any machine', async () => {
  const script = [...FLAGS, '--import', 'tsx', 'tools/bench/src/trip.ts', '--costs'];
  const { stdout } = await promisify(execFile)(process.execPath, script, { cwd: ROOT, timeout: 50_000 });
  const costs = JSON.parse(stdout) as typeof MOST;
  expect(costs.promises).toBeLessThanOrEqual(MOST.promises);
  expect(costs.kilobytes).toBeLessThanOrEqual(MOST.kilobytes);
});
