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
  budgets: [],
  bound_by: 'key_limit',
};

/** Tests of a standalone server from start to exit, for any framework. */
export function standaloneSuite(name: string, file: URL): void {
  describe(`the ${name} server`, { timeout: SLOW_MS }, () => {
    it.skipIf(CURL_NOTE !== '')(`prints calls for curl${CURL_NOTE}`, () => pasteCalls(file, 'curl'));
    it('prints calls for node', () => pasteCalls(file, 'node'));

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

/** Pastes the calls that a server prints: each kind is answered, and its cost shows in `/key` and `/credits`. */
async function pasteCalls(file: URL, tool: 'curl' | 'node'): Promise<void> {
  const server = await spawnFromSource(file);
  const printed = server.stdout();
  const [key = ''] = printed.match(/^ {2}key=.*$/m) ?? [];
  const ways = printed.match(/^ {2}ask\(\) .*(?:\n {4}.*)*$/gm) ?? [];
  const way = ways.find((each) => each.includes(`{ ${tool} `));
  const calls = printed.match(/^ {2}ask [a-z]+ .*$/gm) ?? [];
  const paste = (path: string) =>
    runShell([key, way, calls.find((each) => each.startsWith(`  ask ${path} `))].join('\n'));
  const headers = { authorization: `Bearer ${secretOf(server)}` };
  const show = async (path: string) => (await fetch(`${server.url}/api/v1/${path}`, { headers })).json();

  expect([await show('key'), await show('credits')]).toEqual([
    { ...DEMO_KEY, usage: 0, limit_remaining: 1 },
    { total_credits: 5, total_usage: 0 },
  ]);

  const { answer, citations, usage } = (await paste('answer')) as AnswerBody;
  expect(answer).toMatch(/gatewayRouter\(gateway.*\[\d\]/s);
  expect(citations?.map(({ url }) => url)).toContain(
    'https://github.com/searchgate/searchgate/blob/main/docs/hosts/koa.md',
  );
  expect(usage.cost).toBe(0.001);
  expect(await paste('search')).toMatchObject({ model: 'local/search', usage: { results: 10, cost: 0.001 } });
  expect(await paste('extract')).toMatchObject({
    model: 'local/extract',
    failed: [],
    usage: { pages: 1, cost: 0.001 },
  });
  expect(await paste('rerank')).toMatchObject({
    model: 'local/rerank',
    results: [{ document: { text: 'The bridge opened in May.' } }, {}],
    usage: { cost: 0 },
  });
  expect(await paste('embeddings')).toMatchObject({
    model: 'local/embed',
    data: [{ embedding: { length: 512 } }],
    usage: { cost: 0 },
  });

  expect([await show('key'), await show('credits')]).toEqual([
    { ...DEMO_KEY, usage: 0.003, limit_remaining: 0.997 },
    { total_credits: 5, total_usage: 0.003 },
  ]);

  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  const calledWith = (endpoint: string, cost: string) =>
    expect.objectContaining({ type: 'request_finished', endpoint, status: 200, cost });
  for (const [endpoint, cost] of [
    ['answer', '0.001'],
    ['rerank', '0'],
    ['embeddings', '0'],
  ] as const)
    expect(logOf(server)).toContainEqual(calledWith(endpoint, cost));
  expect(logOf(server).at(-1)).toMatchObject({ msg: 'stopped' });
  expect(server.stderr()).not.toContain(secretOf(server));
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
