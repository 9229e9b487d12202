import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Gateway, type GatewayRequest, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildGateway } from './build-gateway.js';
import type { ServerConfig } from './config-file.js';
import { createProviders } from './create-providers.js';

const documents = [
  { source: 'shop', url: 'https://example.org/shop.md', markdown: '# Shop\n\nThe shop opens at nine.' },
];
const secret = 'sg_a_key_of_the_gateway_tests';
const key = { secret, label: 'key', organizationId: 'acme', limit: '1.00' };

async function build(
  change: Partial<ServerConfig> = {},
  ledger = memoryLedger({ credits: { acme: '5' } }),
): Promise<Gateway> {
  const config: ServerConfig = { organizations: [{ id: 'acme', credits: '5.00' }], apiKeys: [key], ...change };
  const gateway = await buildGateway(config, {
    providers: createProviders({}, config, [localDocs({ documents })]),
    ledger,
    apiKeys: memoryApiKeys([{ apiKey: secret, label: 'key', organizationId: 'acme', limit: '1.00' }]),
    requests: memoryRequestLog(),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A request without a body. */
const requestOf = (path: string, more: Partial<GatewayRequest> = {}): GatewayRequest => ({
  method: 'GET',
  path: `/api/v1/${path}`,
  query: '',
  header: () => undefined,
  readBody: () => Promise.resolve({ parsed: null }),
  disconnected: false,
  ...more,
});

describe('buildGateway', () => {
  it('passes every part of the configuration to the gateway', async () => {
    const gateway = await build({
      aliases: { shop: 'local/docs' },
      markup: '2',
      models: { 'local/docs': { price: '0.003' } },
      limits: { maxQueryCharacters: 30 },
    });
    const answer = await gateway.answer({ apiKey: secret, model: 'shop', query: 'When does the shop open?' });
    expect(answer).toMatchObject({ model: 'local/docs', usage: { cost: 0.006 } });
    const tooLong = gateway.answer({ apiKey: secret, model: 'shop', query: 'When does the shop open in the morning?' });
    await expect(tooLong).rejects.toMatchObject({ reason: 'invalid_field' });
  });

  it('serves the paths that the configuration adds, and no other', async () => {
    const request = requestOf('openapi.json');
    const [described, plain] = [await build({ endpoints: { openapi: true } }), await build()];
    expect(await described.handle(request)).toMatchObject({ status: 200 });
    expect(await plain.handle(request)).toBeUndefined();
  });

  it('applies the upstream limits of a provider', async () => {
    const gateway = await build({ providers: { local: { rateLimit: { requests: 1, periodMs: 3_600_000 } } } });
    const ask = () => gateway.answer({ apiKey: secret, model: 'local/docs', query: 'When does the shop open?' });
    expect(await ask()).toMatchObject({ model: 'local/docs' });
    await expect(ask()).rejects.toMatchObject({ reason: 'upstream_rate_limited' });
  });

  it('passes on the limit of failed authentications', async () => {
    const gateway = await build({ limits: { authFailureLimit: 1 } });
    const request = requestOf('key', { clientAddress: '192.0.2.1' });
    const responses = [await gateway.handle(request), await gateway.handle(request)];
    expect(responses.map((response) => response?.status)).toEqual([401, 429]);
    await expect(build({ limits: { authFailureLimit: -1 } })).rejects.toThrow(
      'limits.authFailureLimit: found -1, expected',
    );
  });

  it('counts failures by the addresses that trusted proxies name', async () => {
    const gateway = await build({ limits: { authFailureLimit: 1 }, trustProxy: ['10.0.0.0/8'] });
    const from = async (forwarded: string, clientAddress = '10.0.0.1') => {
      const header = (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined);
      return (await gateway.handle(requestOf('key', { header, clientAddress })))?.status;
    };
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([401, 429, 401]);
    expect([await from('192.0.2.3', '192.0.2.9'), await from('192.0.2.4', '192.0.2.9')]).toEqual([401, 429]);
  });

  it('limits rate and concurrency of keys', async () => {
    const rateLimit = { requests: 60, periodMs: 60_000 };
    const gateway = await build({
      defaultLimits: { keys: { rateLimit, maxConcurrent: 9 } },
      organizationLimits: { acme: { keys: { maxConcurrent: 4 } } },
    });
    expect(await gateway.key({ apiKey: secret })).toMatchObject({
      rateLimit: { ...rateLimit, remaining: 60 },
      maxConcurrent: 4,
    });
    await expect(build({ defaultLimits: { keys: { maxConcurrent: 0 } } })).rejects.toThrow(
      'defaultLimits.keys.maxConcurrent: found 0, expected',
    );
  });

  it('serves the enabled endpoints', async () => {
    const statusAt = async (change: Partial<ServerConfig>, path = 'mcp') =>
      (await (await build(change)).handle(requestOf(path, { method: 'POST' })))?.status;
    expect(await statusAt({})).toBeUndefined();
    expect(await statusAt({ endpoints: {} })).toBeUndefined();
    expect(await statusAt({ endpoints: { mcp: false } })).toBeUndefined();
    expect(await statusAt({ endpoints: { mcp: true } })).toBe(415);
    const tavily = { answer: 'local/docs', search: 'local/search' };
    expect(await statusAt({ endpoints: { tavily } }, 'tavily/search')).toBe(415);
    await expect(statusAt({ endpoints: { exa: { search: 'local/docs' } } })).rejects.toThrow('endpoints.exa.search');
    const search = 'local/search';
    const keyed = 'searxng/sg_unknown/search';
    expect(await statusAt({ endpoints: { searxng: { search } } }, keyed)).toBeUndefined();
    expect(await statusAt({ endpoints: { searxng: { search, keyInPath: true } } }, keyed)).toBe(401);
    const groups = { auto: { models: ['local/docs'] } };
    expect(await statusAt({ groups, endpoints: { mcp: { defaultModel: 'auto' } } })).toBe(415);
  });

  it('lets callers ask for a group', async () => {
    const gateway = await build({ groups: { auto: { models: ['local/docs'], sort: 'latency' } } });
    const answer = await gateway.answer({ apiKey: secret, model: 'auto', query: 'When does the shop open?' });
    expect(answer).toMatchObject({ model: 'local/docs' });
  });

  it.each<[string, Partial<ServerConfig>]>([
    ['limits.maxInFlight: found 0, expected', { limits: { maxInFlight: 0 } }],
    ['markup: found "double"', { markup: 'double' }],
    ['cache.ttlMs: found nothing, expected', { cache: {} as never }],
    ['coalescing.sharedPrice: found "2"', { coalescing: { sharedPrice: '2' } }],
    [
      'endpoints.rerank.defaultModel: found "local/docs", expected a callable model of category rerank',
      { endpoints: { rerank: { defaultModel: 'local/docs' } } },
    ],
    [
      'endpoints.mcp.defaultModel: found "local/dogs", expected a callable model of category answer, an alias or a group of such models (local/docs).',
      { endpoints: { mcp: { defaultModel: 'local/dogs' } } },
    ],
    [
      'endpoints.mcp.search: found "local/docs", expected a callable model of category search',
      { endpoints: { mcp: { search: 'local/docs' } } },
    ],
    [
      'endpoints.mcp.fetch: found "local/dogs", expected a callable model of category extract',
      { endpoints: { mcp: { fetch: 'local/dogs' } } },
    ],
    [
      'endpoints.mcp.model: found an unknown option, expected one of defaultModel, search, fetch, origins.',
      { endpoints: { mcp: { model: 'local/docs' } as never } },
    ],
    ['local/dogs', { aliases: { fast: 'local/dogs' } }],
    ['groups["auto"].models[0]: found "local/dogs"', { groups: { auto: { models: ['local/dogs'] } } }],
    [
      'groups.auto.sort: found "best", expected "listed", "price" or "latency"',
      { groups: { auto: { models: ['local/docs'], sort: 'best' as never } } },
    ],
    ['providers.local.maxConcurrent: found 0, expected at least 1', { providers: { local: { maxConcurrent: 0 } } }],
    [
      'providers.exa: found a provider that is not enabled, expected one of local',
      { providers: { exa: { maxConcurrent: 1 } } },
    ],
    [
      'hedging["local/docs"].with: found "exa/answer"',
      { hedging: { 'local/docs': { afterMs: 1, with: 'exa/answer', maxExtraCost: '1' } } },
    ],
    ['exa/answer', { fallbacks: { 'local/docs': ['exa/answer'] } }],
    [
      'apiKeys[0].allowedModels[0]: found "local/dogs", expected a model that can be called: local/search, local/extract, local/docs.',
      { apiKeys: [{ ...key, allowedModels: ['local/dogs'] }] },
    ],
  ])('refuses a configuration: %s', async (message, change) => {
    const error: unknown = await build(change).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain(secret);
  });

  it.each<Partial<ServerConfig>>([
    { apiKeys: [{ ...key, allowedModels: ['mistyped/model'] }] },
    { webhooks: { endpoints: [{ url: 'https://example.org/', secret: 'short', events: ['credits_low'] }] } },
  ])('leaves no gateway behind if %j is invalid', async (wrong) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const ledger = memoryLedger({ credits: { acme: '5' } });
    const expireHolds = vi.spyOn(ledger, 'expireHolds');
    await expect(build(wrong, ledger)).rejects.toThrow(
      /apiKeys\[0\]\.allowedModels\[0\]|webhooks\.endpoints\[0\]\.secret/,
    );
    await vi.advanceTimersByTimeAsync(120_000);
    expect(expireHolds).not.toHaveBeenCalled();
    const gateway = await build({}, ledger);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(expireHolds).toHaveBeenCalled();
    await gateway.close();
  });

  it('posts alerts to the webhooks of the configuration', async () => {
    const secret64 = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const receiver = createServer();
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    const gateway = await build({
      alerts: { creditsLow: '10.00' },
      webhooks: { endpoints: [{ url: `http://127.0.0.1:${port}/`, secret: secret64, events: ['credits_low'] }] },
    });
    const received = once(receiver, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    await gateway.answer({ apiKey: secret, model: 'local/docs', query: 'When does the shop open?' });
    const [request, response] = await received;
    const body: unknown = JSON.parse(await text(request));
    response.end();
    expect(body).toMatchObject({ type: 'credits_low', data: { organizationId: 'acme' } });
  });
});

describe('verified', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-verified-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'verified.json');
  const providers = { exa: { apiKey: 'a-key-of-an-account' } };
  const seen = (verdict: string, day = '2026-11-29') => ({ day, version: '0.1.0', verdict });

  it('lists the days of models without a fault, beside the other changes of the file', async () => {
    const faults = { 'exa/contents': seen('fault'), 'you/gone': seen('ok'), 'exa/lite': seen('ok') };
    const days = { 'exa/answer': seen('ok'), 'exa/auto': seen('warning'), 'exa/deep': seen('ok') };
    writeFileSync(file, JSON.stringify({ ...faults, ...days }));
    const own = { 'exa/lite': { hidden: true }, 'exa/deep': { verifiedAt: '2026-12-01' } };
    const models = { 'exa/auto': { name: 'Ours' }, ...own };
    const entries = (await build({ verified: file, models, providers })).models();
    const listed = entries.filter(({ verifiedAt }) => verifiedAt !== null).map((one) => [one.id, one.verifiedAt]);
    expect(Object.fromEntries(listed)).toEqual({
      'exa/answer': '2026-11-29',
      'exa/auto': '2026-11-29',
      'exa/deep': '2026-12-01',
    });
    expect(entries.find(({ id }) => id === 'exa/auto')?.name).toBe('Ours');
  });

  it.each([
    ['no JSON', '{'],
    [JSON.stringify(file), '{"exa/answer":true}'],
    [JSON.stringify(file), JSON.stringify({ 'exa/answer': seen('fine') })],
    [JSON.stringify(file), JSON.stringify({ 'exa/answer': seen('ok', 'today') })],
  ])('is refused as %s: %s', async (found, content) => {
    writeFileSync(file, content);
    await expect(build({ verified: file })).rejects.toThrow(`verified: found ${found}`);
  });
});
