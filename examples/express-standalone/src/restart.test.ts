import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundledProgram, SLOW_MS, type SpawnedServer, spawnServer, temporaryFolder } from '@searchgate/server/testing';
import { describe, expect, it } from 'vitest';

const file = new URL('./server.ts', import.meta.url);
const adminFile = fileURLToPath(new URL('../../../packages/server/src/bin/npm-run-admin.ts', import.meta.url));

describe('a restart of the server', { timeout: 2 * SLOW_MS }, () => {
  it('keeps usage, credits and the demo key, and a sound ledger', async () => {
    const folder = temporaryFolder();
    const first = await spawnServer(file, {}, folder);
    expect(await askTheDocuments(first)).toBe(200);
    // Like a crash: all answers were charged.
    first.kill('SIGKILL');
    await first.exited;

    const second = await spawnServer(file, {}, folder);
    expect(secretOf(second)).toBe(secretOf(first));
    expect(await account(second, 'key')).toMatchObject({ body: { label: 'Demo key', usage: 0.001, limit: 1 } });
    expect(await account(second, 'credits')).toMatchObject({ body: { total_credits: 5, total_usage: 0.001 } });

    const verified = await admin(folder, 'ledger', 'verify');
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toContain('Every counter equals the log.');

    second.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect(second.stderr()).not.toContain(secretOf(second));
  });
});

async function askTheDocuments({ url, stdout }: SpawnedServer): Promise<number> {
  const [proposed = ''] = /(?<=ask answer ')\{.*\}(?=')/.exec(stdout()) ?? [];
  const headers = { authorization: `Bearer ${secretOf({ stdout })}`, 'content-type': 'application/json' };
  return (await fetch(`${url}/api/v1/answer`, { method: 'POST', headers, body: proposed })).status;
}

async function account(server: SpawnedServer, path: 'key' | 'credits'): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${secretOf(server)}` },
  });
  return { status: response.status, body: await response.json() };
}

/** Runs `npm run admin` as a separate process, in the directory of the service. */
async function admin(cwd: string, ...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'] };
  const done = promisify(execFile)(process.execPath, [await bundledProgram(adminFile), ...argv], { cwd, env });
  return done.then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

function secretOf({ stdout }: Pick<SpawnedServer, 'stdout'>): string {
  return /sg_[0-9a-f]{12}_[\w-]+/.exec(stdout())?.[0] ?? '';
}
