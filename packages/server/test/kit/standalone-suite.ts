import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { AnswerBody } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { startHeldUpstream } from './held-upstream.js';
import { type SpawnedServer, shortDocuments, spawnFromSource, spawnServer } from './spawn-server.js';

/** A server starts in a second or two, slower on a busy machine. */
export const SLOW_MS = 30_000;

/** Suffix of the tests that paste the printed command: why they are skipped. */
export const CURL_NOTE =
  spawnSync('curl', ['--version']).status === 0 ? '' : ' (skipped: there is no curl on this machine)';

const DEMO_KEY = {
  label: 'Demo key',
  limit: 1,
  limit_reset: null,
  resets_at: null,
  rate_limit: null,
  max_concurrent: null,
};

/** Tests of a standalone server from start to exit, for any framework. */
export function standaloneSuite(name: string, file: URL): void {
  describe(`the ${name} server`, { timeout: SLOW_MS }, () => {
    it.skipIf(CURL_NOTE !== '')(
      `prints commands that answer, search and read, and whose cost shows in /key and /credits${CURL_NOTE}`,
      async () => {
        const server = await spawnFromSource(file);
        const [key = ''] = server.stdout().match(/^ {2}key=.*$/m) ?? [];
        const commands = server.stdout().match(/^ {2}curl (?:.*\\\n)*.*$/gm) ?? [];
        const paste = (at: number) => runShell(`${key}\n${commands[at]}`);
        const show = (path: string) =>
          runShell(`curl -s ${server.url}/api/v1/${path} -H "Authorization: Bearer ${secretOf(server)}"`);

        const before = { key: await show('key'), credits: await show('credits') };
        expect(before).toEqual({
          key: { ...DEMO_KEY, usage: 0, limit_remaining: 1 },
          credits: { total_credits: 5, total_usage: 0 },
        });

        const { answer, citations, usage } = (await paste(0)) as AnswerBody;
        expect(answer).toMatch(/gatewayRouter\(gateway.*\[\d\]/s);
        expect(citations?.[0]?.url).toMatch(/^https:\/\/github\.com\/searchgate\/searchgate\/blob\/main\//);
        expect(usage.cost).toBe(0.001);
        expect(await paste(1)).toMatchObject({ model: 'local/search', usage: { results: 10, cost: 0.001 } });
        expect(await paste(2)).toMatchObject({ model: 'local/extract', failed: [], usage: { pages: 1, cost: 0.001 } });

        expect(await show('key')).toEqual({ ...DEMO_KEY, usage: 0.003, limit_remaining: 0.997 });
        expect(await show('credits')).toEqual({ total_credits: 5, total_usage: 0.003 });

        server.kill('SIGTERM');
        expect(await server.exited).toBe(0);
        expect(logOf(server)).toContainEqual(
          expect.objectContaining({ type: 'request_finished', endpoint: 'answer', status: 200, cost: '0.001' }),
        );
        expect(logOf(server).at(-1)).toMatchObject({ msg: 'stopped' });
        expect(server.stderr()).not.toContain(secretOf(server));
      },
    );

    it('is not ready after SIGTERM, but serves calls for a while, ends those in flight and exits with 0', async () => {
      const upstream = await startHeldUpstream();
      const server = await spawnServer(file, {
        ...shortDocuments(),
        EXA_API_KEY: 'exa-secret',
        EXA_BASE_URL: upstream.url,
        SEARCHGATE_DRAIN_DELAY_MS: '4000',
      });
      expect(server.stdout()).toContain('exa/answer');
      const pending = ask(server, 'exa/answer');
      await upstream.asked;

      server.kill('SIGTERM');
      await expect.poll(() => server.stderr(), { timeout: SLOW_MS }).toContain('stopping');
      const readiness = await fetch(`${server.url}/readyz`);
      expect([readiness.status, await readiness.json()]).toEqual([
        503,
        { status: 'not_ready', reason: 'shutting_down' },
      ]);
      expect((await ask(server, 'local/docs', { query: 'When does the shop open?' })).status).toBe(200);

      upstream.answer();
      const response = await pending;
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ model: 'exa/answer', usage: { cost: 0.005 } });
      expect(await server.exited).toBe(0);
      expect(server.stderr()).not.toContain('exa-secret');
    });

    it('stops listening at once without a delay', async () => {
      const upstream = await startHeldUpstream();
      const server = await spawnServer(file, {
        ...shortDocuments(),
        EXA_API_KEY: 'exa-secret',
        EXA_BASE_URL: upstream.url,
      });
      const pending = ask(server, 'exa/answer');
      await upstream.asked;
      server.kill('SIGTERM');
      await expect.poll(() => server.stderr(), { timeout: SLOW_MS }).toContain('stopping');
      await expect
        .poll(() => fetch(`${server.url}/healthz`).then(() => 'served', String), { timeout: SLOW_MS })
        .toContain('fetch failed');
      upstream.answer();
      expect((await pending).status).toBe(200);
      expect(await server.exited).toBe(0);
    });
  });
}

/** Asks over HTTP with the demo key. */
export function ask(
  server: SpawnedServer,
  model: string,
  { query = 'When did the Zephyr Bridge open?', headers = {} } = {},
): Promise<Response> {
  return fetch(`${server.url}/api/v1/answer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretOf(server)}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, query }),
  });
}

/** The printed demo key. */
function secretOf(server: SpawnedServer): string {
  return /sg_[0-9a-f]{12}_[\w-]+/.exec(server.stdout())?.[0] ?? '';
}

async function runShell(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  return JSON.parse(stdout);
}

function logOf(server: SpawnedServer): unknown[] {
  return server
    .stderr()
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
