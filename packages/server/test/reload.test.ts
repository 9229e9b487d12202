import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminShell } from './kit/admin-shell.js';
import { HELD_REPLY, startHeldUpstream } from './kit/held-upstream.js';
import { type SpawnedServer, shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const secret = 'sg_a_key_of_the_reload_tests';
const CALLS = 200;
const RELOADS = 5;
const LATENCY_MS = 150;

const key = { secret, label: 'first', organizationId: 'acme', limit: '9.00' };
const config = { organizations: [{ id: 'acme', credits: '10.00' }], apiKeys: [key] };

/** A server with a configuration that the test can change and reload. */
async function startConfigured(environment: Record<string, string>) {
  const folder = temporaryFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  const server = await spawnServer(
    program,
    { ...shortDocuments(), SEARCHGATE_CONFIG: file, SEARCHGATE_LEDGER: 'memory', EXA_API_KEY: 'exa', ...environment },
    folder,
  );
  const count = (text: string) => server.stderr().split(text).length - 1;
  return {
    ...server,
    folder,
    write: (text: string) => writeFileSync(file, text),
    /** Resolves when the server has accepted or refused the file. */
    async reload(outcome: 'was reloaded' | 'was not reloaded'): Promise<void> {
      const before = count(outcome);
      server.kill('SIGHUP');
      await expect.poll(() => count(outcome), { timeout: SLOW_MS }).toBe(before + 1);
    },
  };
}

/** A slow fake Exa. */
function startSlowUpstream(): Promise<string> {
  return listen((_request, response) => {
    setTimeout(() => response.setHeader('Content-Type', 'application/json').end(HELD_REPLY), LATENCY_MS);
  });
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const authorization = `Bearer ${secret}`;

async function ask({ url }: Pick<SpawnedServer, 'url'>, model = 'exa/answer') {
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ model, query: 'When does the shop open?' });
  const response = await fetch(`${url}/api/v1/answer`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as { usage?: { cost: number } } };
}

async function account({ url }: Pick<SpawnedServer, 'url'>, path: 'key' | 'credits') {
  return (await fetch(`${url}/api/v1/${path}`, { headers: { authorization } })).json();
}

describe('SIGHUP', { timeout: 2 * SLOW_MS }, () => {
  it('finishes calls in flight under the old configuration, and serves new calls under the new', async () => {
    const upstream = await startHeldUpstream();
    const server = await startConfigured({ EXA_BASE_URL: upstream.url });
    const first = ask(server);
    await upstream.asked;
    server.write(
      JSON.stringify({
        ...config,
        markup: '2',
        aliases: { web: 'exa/answer' },
        apiKeys: [{ ...key, label: 'second' }],
      }),
    );
    await server.reload('was reloaded');
    const second = ask(server, 'web');
    await expect.poll(upstream.asks, { timeout: SLOW_MS }).toBe(2);
    upstream.answer();

    expect(await first).toMatchObject({ status: 200, body: { usage: { cost: 0.005 } } });
    expect(await second).toMatchObject({ status: 200, body: { usage: { cost: 0.01 } } });
    expect(await account(server, 'key')).toMatchObject({ label: 'second', usage: 0.015 });
    expect(server.stderr()).not.toContain(secret);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  it('uses the new key of a provider, while calls in flight end with the old one', async () => {
    const seen: (string | undefined)[] = [];
    let release = (): void => undefined;
    const first = new Promise<void>((resolve) => (release = resolve));
    const url = await listen((request, response) => {
      const isFirst = seen.push(request.headers['x-api-key'] as string | undefined) === 1;
      void (isFirst ? first : Promise.resolve()).then(() =>
        response.setHeader('Content-Type', 'application/json').end(HELD_REPLY),
      );
    });
    const keyFile = join(temporaryFolder(), 'exa');
    writeFileSync(keyFile, 'the-old-key\n');
    const server = await startConfigured({ EXA_API_KEY: '' });
    const withKey = { ...config, providers: { exa: { apiKeyFile: keyFile, baseUrl: url } } };
    server.write(JSON.stringify(withKey));
    await server.reload('was reloaded');
    const old = ask(server);
    await expect.poll(() => seen.length, { timeout: SLOW_MS }).toBe(1);
    writeFileSync(keyFile, 'the-new-key\n');
    await server.reload('was reloaded');
    expect((await ask(server)).status).toBe(200);
    release();
    expect((await old).status).toBe(200);
    expect(seen).toEqual(['the-old-key', 'the-new-key']);
    server.write(JSON.stringify({ ...withKey, providers: { exa: { apiKey: 'a third key', baseUrl: url } } }));
    await server.reload('was not reloaded');
    expect(server.stderr()).toContain('providers.exa.apiKey: found a string (not shown)');
    expect(server.stderr()).not.toMatch(/the-old-key|the-new-key|a third key/);
  });

  it(`loses no call and no money: ${CALLS} parallel calls across ${RELOADS} reloads, on a ledger in memory`, async () => {
    const server = await startConfigured({ EXA_BASE_URL: await startSlowUpstream() });
    const calls: ReturnType<typeof ask>[] = [];
    for (let reload = 0; reload < RELOADS; reload += 1) {
      for (let call = 0; call < CALLS / RELOADS; call += 1) calls.push(ask(server));
      await server.reload('was reloaded');
    }
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await account(server, 'credits')).toEqual({ total_credits: 10, total_usage: 1 });
    expect(await account(server, 'key')).toMatchObject({ usage: 1, limit_remaining: 8 });
  });

  it('serves known keys despite a stranger’s wrong keys, and trusts the new proxies', async () => {
    const server = await startConfigured({});
    const wrong = (index: number, forwarded = '203.0.113.9') =>
      fetch(`${server.url}/api/v1/key`, {
        headers: { authorization: `Bearer wrong-${index}`, 'x-forwarded-for': forwarded },
      });
    const flood = async () => {
      const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => wrong(index)));
      return responses.filter(({ status }) => status === 429).length;
    };
    expect(await flood()).toBeGreaterThan(100);
    server.write(JSON.stringify({ ...config, trustProxy: 1 }));
    await server.reload('was reloaded');
    const flooding = flood();
    expect((await ask(server, 'local/docs')).status).toBe(200);
    expect(await flooding).toBeGreaterThan(100);
    expect((await ask(server, 'local/docs')).status).toBe(200);
    expect(await flood()).toBeGreaterThan(100);
    expect((await wrong(0, '203.0.113.10')).status).toBe(401);
    expect(server.stderr().split('no proxy is trusted')).toHaveLength(2);
  });

  it('changes nothing for an invalid file, and names the field', async () => {
    const ledger = `sqlite:${join(temporaryFolder(), 'money.db')}`;
    const server = await startConfigured({ SEARCHGATE_LEDGER: ledger });
    const elsewhere = { id: 'globex', credits: '1.00' };
    const wrong: [text: string, message: string][] = [
      ['{', 'SEARCHGATE_CONFIG: found no JSON'],
      [JSON.stringify({ ...config, apiKeys: [{ ...key, limit: 5 }] }), 'apiKeys[0].limit: found 5'],
      [JSON.stringify({ ...config, fallbacks: { 'exa/answer': ['exa/anser'] } }), 'exa/anser'],
      [JSON.stringify({ ...config, port: 4000 }), 'port: found a value, expected nothing: PORT in the environment'],
      [JSON.stringify({ ...config, ledger: 'memory' }), 'ledger: found a value, expected nothing: SEARCHGATE_LEDGER'],
      [
        JSON.stringify({ organizations: [elsewhere], apiKeys: [{ ...key, organizationId: 'globex' }] }),
        'apiKeys[0].organizationId: found \\"globex\\"',
      ],
    ];
    for (const [text, message] of wrong) {
      server.write(text);
      await server.reload('was not reloaded');
      expect(server.stderr().split('was not reloaded').at(-2)).toContain(message);
      expect((await ask(server, 'local/docs')).status).toBe(200);
    }
    expect(await account(server, 'key')).toMatchObject({ label: 'first', limit: 9 });
    const organizations = (await adminShell(ledger)('orgs', 'list', '--json')).json() as { id: string }[];
    expect(organizations.map(({ id }) => id)).toEqual(['acme']);
    expect((await adminShell(ledger)('ledger', 'verify')).code).toBe(0);
  });

  it('during the start is handled after the start', async () => {
    const server = await spawnServer(new URL('kit/hung-up-program.ts', import.meta.url), shortDocuments());
    await expect.poll(server.stderr, { timeout: SLOW_MS }).toContain('there is no SEARCHGATE_CONFIG to reload');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it('does nothing to a service without a file', async () => {
    const server = await spawnServer(program, shortDocuments());
    server.kill('SIGHUP');
    await expect.poll(server.stderr, { timeout: SLOW_MS }).toContain('there is no SEARCHGATE_CONFIG to reload');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});
