import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createAdministration, encryptedTenantKeys } from '../src/admin/index.js';
import { recordGauges, recordMetrics } from '../src/admin/metrics.js';
import { type DurableLedger, memoryTenantKeyStore } from '../src/ledger/index.js';
import type { Provider, ProviderSettings } from '../src/provider-kit/index.js';
import * as vendors from '../src/providers/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { start } from './scripted-gateway.js';

const REPLY = readFileSync(new URL('../src/providers/exa/fixtures/answer.json', import.meta.url));
/** No part looks like a key, so that only who knows it can hide it. */
const made = () => Array.from({ length: 4 }, () => randomBytes(5).toString('hex')).join('!');
const BODIES = {
  answer: { query: 'When?' },
  search: { query: 'When?' },
  extract: { urls: ['https://example.org/'] },
  rerank: { query: 'When?', documents: ['a', 'b'] },
  embeddings: { input: 'a' },
};

/** Vendors that answer a question by Exa, and else refuse a key and repeat it as they got it. */
async function startVendors() {
  const sent: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const text = decodeURIComponent(url) + JSON.stringify(headers);
    sent.push(text);
    const isAnswer = url === '/answer';
    response.writeHead(isAnswer ? 200 : 401, { 'content-type': 'application/json' });
    response.end(isAnswer ? REPLY : JSON.stringify({ error: { message: `refused: ${url} ${text}`, code: text } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { sent, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Calls of every kind of a provider. */
function callsOf({ models, search, extract, rerank, embed }: Provider) {
  const rows = {
    answer: models,
    search: search?.models,
    extract: extract?.models,
    rerank: rerank?.models,
    embeddings: embed?.models,
  };
  return (Object.keys(BODIES) as (keyof typeof BODIES)[]).flatMap((kind) => {
    const [model] = rows[kind] ?? [];
    return model === undefined ? [] : [{ kind, body: { ...BODIES[kind], model: model.slug } }];
  });
}

/** A ledger, and all that it stores. */
interface StoringEngine {
  readonly name: string;
  open(): Promise<{ readonly ledger: DurableLedger; stored(): Promise<string>; dispose(): Promise<void> }>;
}

/** Plants a key of an organization at every vendor, has each refuse and repeat it, and looks for its parts in all that is stored and shown. */
export function testPlantedKeys({ name, open }: StoringEngine): void {
  it(`shows no key of an organization in what a ${name} ledger stores, nor in what a gateway over it shows`, async () => {
    const { ledger, stored, dispose } = await open();
    const { sent, baseUrl } = await startVendors();
    const operator = made();
    const factories = Object.values(vendors) as ((settings: ProviderSettings) => Provider)[];
    const providers = factories.map((create) => create({ apiKey: operator, baseUrl })).filter((each) => each.ownKeys);
    const store = ledger.tenantKeys ?? memoryTenantKeyStore();
    const vault = encryptedTenantKeys({ store, secrets: [randomBytes(32).toString('base64')] });
    const shown: unknown[] = [];
    const note = (...given: unknown[]) => void shown.push(given);
    const span = {
      end: note,
      run: <T>(work: () => T) => work(),
      startAttempt: (begun: unknown) => (note(begun), span),
    };
    const { apiKeys, requests, changes } = ledger;
    const { gateway, events } = start(providers, {
      ledger,
      apiKeys,
      requestLog: { log: requests },
      byok: { keys: vault, fee: { share: '0.05' } },
      endpoints: { search: true, extract: true, rerank: true, embeddings: true, asyncAnswers: true },
      maxAttempts: 1,
      logger: { warn: note, error: note },
      tracer: { startRequest: span.startAttempt },
    });
    recordMetrics(gateway, note);
    const tenantKeys = { vault, providers };
    const administration = createAdministration({ ledger, apiKeys, gateway, auditLog: changes, tenantKeys });
    await administration.organizations.create({ id: 'acme' });
    await administration.grant({ organizationId: 'acme', amount: '5' });
    const { secret } = await administration.apiKeys.create({ organizationId: 'acme', label: 'demo' });
    const planted = providers.map(({ id }) => [id, made()] as const);
    for (const [id, key] of planted) shown.push(await administration.tenantKeys.set('acme', id, key));

    const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const response = await gateway.handle(requestOf(path, { apiKey: secret, body, headers }));
      shown.push(response, bodyText(response));
    };
    for (const [at, provider] of providers.entries())
      for (const { kind, body } of callsOf(provider)) {
        await ask(kind, body, { 'idempotency-key': `${at} ${kind}` });
        if (kind === 'answer') await ask(kind, body, { prefer: 'respond-async' });
      }
    recordGauges(gateway, note);
    shown.push(gateway.status(), gateway.models());
    await gateway.close();
    shown.push(events, (await ledger.entries({})).entries, await changes.find({}, { limit: 1_000 }));
    const texts = [
      await stored(),
      inspect(shown, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null }),
    ];
    await dispose();
    for (const [id, key] of [...planted, ['operator', operator] as const]) {
      const forms = [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')];
      const parts = [...key.split('!'), ...forms.map((form) => form.slice(0, 12))];
      expect([id, texts.map((text) => parts.filter((part) => text.includes(part)))]).toEqual([id, [[], []]]);
    }
    expect(planted.filter(([, key]) => !sent.some((text) => text.includes(key)))).toEqual([]);
    expect(sent.filter((text) => text.includes(operator))).toEqual([]);
    for (const expected of [
      'request_finished',
      'upstream_auth_failed',
      'tenantCost',
      'tenant_key',
      'searchgate.attempts',
    ])
      expect(texts.join()).toContain(expected);
  });
}
