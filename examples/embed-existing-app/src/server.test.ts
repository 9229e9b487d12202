import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CURL_NOTE, SLOW_MS, spawnFromSource } from '@searchgate/server/testing';
import { expect, it } from 'vitest';

it.skipIf(CURL_NOTE !== '')(
  `prints curl lines that log in, ask and show the cost, and stops on SIGTERM${CURL_NOTE}`,
  { timeout: SLOW_MS },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'searchgate-embedded-'));
    const server = await spawnFromSource(new URL('./server.ts', import.meta.url));
    const results: unknown[] = [];
    for (const line of server.stdout().match(/^ {2}curl .*$/gm) ?? []) {
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder });
      results.push(JSON.parse(stdout));
    }
    expect(results).toMatchObject([
      { welcome: 'alice' },
      { answer: expect.stringContaining('gatewayRouter'), usage: { cost: 0.001 } },
      { total_credits: 10, total_usage: 0.001 },
    ]);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    rmSync(folder, { recursive: true });
  },
);
