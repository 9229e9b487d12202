import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assembleGateway } from '../src/gateway.js';
import { eventToJson, type GatewayEvent, memoryApiKeys, memoryLedger } from '../src/index.js';
import type { Provider, ProviderSettings } from '../src/provider-kit/index.js';
import * as vendors from '../src/providers/index.js';
import { KEY, reasonOf } from './scripted-gateway.js';

const DEAD = 'dead-9f2c41d07be3a586';
const GOOD = 'good-71b0e5c84ad2f693';
const apiKeys = [
  { key: DEAD, name: 'main' },
  { key: GOOD, name: 'spare' },
];
const FACTORIES = Object.entries(vendors) as [string, (settings: ProviderSettings) => Provider][];

/** A vendor of any form: it refuses one key and repeats it, and fails for the other. */
const asked: string[] = [];
const server = createServer(({ url = '', headers }, response) => {
  const text = url + JSON.stringify(headers);
  const key = [DEAD, GOOD].find((each) => text.includes(each)) ?? 'no key';
  asked.push(key);
  response.writeHead(key === DEAD ? 401 : 500, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: `the key ${key} is not good`, code: key } }));
});
let baseUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void (asked.length = 0));

type Call = (gateway: ReturnType<typeof assembleGateway>, model: string) => Promise<unknown>;
const common = { apiKey: KEY, query: 'q' };
/** One call of each port of a provider, and a stream. */
const CALLS = {
  answer: (gateway, model) => gateway.answer({ ...common, model }),
  async stream(gateway, model) {
    for await (const _event of gateway.answerStream({ ...common, model }));
  },
  search: (gateway, model) => gateway.search({ ...common, model }),
  extract: (gateway, model) => gateway.extract({ apiKey: KEY, model, urls: ['https://example.org/'] }),
  rerank: (gateway, model) => gateway.rerank({ ...common, model, documents: ['a', 'b'] }),
  embed: (gateway, model) => gateway.embed({ apiKey: KEY, model, input: 'a' }),
} satisfies Record<string, Call>;

function modelOf({ models, ...provider }: Provider, call: keyof typeof CALLS): string | undefined {
  if (call === 'answer') return models[0]?.slug;
  if (call === 'stream') return models.find(({ features }) => features.includes('streaming'))?.slug;
  return provider[call]?.models[0]?.slug;
}

const ROWS = FACTORIES.flatMap(([id, create]) =>
  (Object.keys(CALLS) as (keyof typeof CALLS)[]).flatMap((call) => {
    const model = modelOf(create({ apiKey: 'k' }), call);
    return model === undefined ? [] : [[id, call, model, create] as const];
  }),
);

describe('the keys of a vendor', () => {
  it.each(ROWS)('are asked in turn, and shown nowhere: %s %s', async (_id, call, model, create) => {
    const provider = create({ apiKeys, baseUrl });
    const shown: unknown[] = [provider];
    const events: GatewayEvent[] = [];
    const gateway = assembleGateway(
      {
        providers: [provider],
        ledger: memoryLedger({ credits: { acme: '1000' } }),
        apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'demo', organizationId: 'acme' }]),
        maxAttempts: 1,
        logger: { warn: (...line) => shown.push(line), error: (...line) => shown.push(line) },
        onEvent: (event) => void events.push(event),
      },
      {},
    );
    const showError = (error: unknown) => {
      shown.push(error);
      throw error;
    };
    for (let time = 0; time < 2; time += 1)
      expect(await reasonOf(CALLS[call](gateway, model).catch(showError))).not.toBe('answered');
    shown.push(gateway.status());
    await gateway.close();
    // Of a page that a caller names, the vendor's refusal proves nothing about the key.
    expect(asked).toEqual(call === 'extract' ? [DEAD, GOOD, DEAD, GOOD] : [DEAD, GOOD, GOOD]);
    expect(events.filter(({ type }) => type === 'provider_key_failed')).toHaveLength(call === 'extract' ? 0 : 1);
    const text = inspect(shown, { depth: 20, showHidden: true }) + events.map(eventToJson).join('\n');
    expect(text).toContain('main');
    for (const key of [DEAD, GOOD]) expect(text).not.toContain(key.slice(5));
  });
});

describe('the settings of several keys', () => {
  const { exa, brave } = vendors;
  const SECRET = 'planted-3c9e17a04bd85f62';
  const one = { key: SECRET };

  it.each<[string, Partial<ProviderSettings>]>([
    ['apiKeys: found a value beside apiKey', { apiKey: SECRET, apiKeys: [one] }],
    ['apiKey: found nothing', {}],
    ['apiKeys: found an array of 0, expected at least one key', { apiKeys: [] }],
    ['apiKeys[1].key: found a key, expected no key twice', { apiKeys: [one, one] }],
    [
      'apiKeys[1].name: found a key',
      {
        apiKeys: [
          { ...one, name: 'a' },
          { key: 'k2', name: 'a' },
        ],
      },
    ],
    ['apiKeys[1].name: ', { apiKeys: [one, { key: 'k2', name: 'key-1' }] }],
    ['apiKeys[0].name: found a key', { apiKeys: [{ key: 'k2', name: SECRET }, one] }],
    ['apiKeys[0].name: found a key', { apiKeys: [{ key: 'k2', name: `a ${SECRET}` }] }],
    ['apiKeys[0].key: found a key, expected a key without spaces', { apiKeys: [{ key: `${SECRET} ` }] }],
    ['apiKeys[0]: found a key', { apiKeys: [SECRET] as never }],
    ['apiKeys: found a key', { apiKeys: SECRET as never }],
    ['Did you mean "name"?', { apiKeys: [{ ...one, nam: 'a' } as never] }],
    ['apiKeys[0].maxConcurrent: found 0', { apiKeys: [{ ...one, maxConcurrent: 0 }] }],
    ['pick: found "random"', { apiKeys: [one], pick: 'random' as never }],
    ['pick: found a value without apiKeys', { apiKey: 'k', pick: 'first' }],
  ])('are refused without a key that is shown: %s', (message, settings) => {
    const create = () => exa(settings);
    expect(create).toThrow(message.replace('found a key', 'found a string (not shown)'));
    expect(create).not.toThrow(SECRET.slice(8));
  });

  it('hand on names and limits alone', () => {
    const rateLimit = { requests: 5, periodMs: 1_000 };
    expect(exa({ apiKeys: [{ key: 'k1' }, { key: () => 'k2', name: 'b', rateLimit, maxConcurrent: 2 }] }).keys).toEqual(
      {
        pick: 'first',
        list: [
          { name: 'key-1', rotates: false },
          { name: 'b', rateLimit, maxConcurrent: 2, rotates: true },
        ],
      },
    );
  });

  it('refuse keys of another plan of Brave', () => {
    expect(() => brave({ apiKeys: [one], searchApiKey: 'k2' })).toThrow(
      'brave.searchApiKey: found a value beside apiKeys',
    );
  });
});
