import { expect, it } from 'vitest';
import type { EndpointOptions } from '../src/http/endpoint-options.js';
import type { Gateway } from '../src/index.js';
import type { ModelRow, Provider } from '../src/provider-kit/index.js';
import { KEY, start } from './scripted-gateway.js';

const URL = 'https://example.org/zephyr';

const row = (slug: string): ModelRow => ({
  slug,
  name: slug,
  description: 'A model.',
  prices: [{ kind: 'flat', request: '0.001', source: 'test', asOf: '2026-11-27', confidence: 'high' }],
  features: [],
  contextLength: null,
  timeoutMs: 1_000,
});

const stub: Provider = {
  id: 'stub',
  name: 'Stub',
  models: [],
  search: {
    models: [row('stub/web')],
    search: () => Promise.resolve({ results: [{ url: URL, title: 'Zephyr' }], cost: {} }),
  },
  extract: {
    models: [row('stub/read')],
    maxUrls: 20,
    extract: () => Promise.resolve({ pages: [{ url: URL, content: 'Opened.' }], cost: {} }),
  },
  rerank: {
    models: [row('stub/rank')],
    rerank: () => Promise.resolve({ ranks: [{ index: 0, score: 0.9 }], cost: {} }),
  },
  embed: {
    models: [row('stub/embed')],
    maxInputs: 8,
    embed: () => Promise.resolve({ embeddings: [{ index: 0, vector: [0.5, 0.25] }], cost: {} }),
  },
};

const CALLS = {
  search: [
    'stub/web',
    ['/api/v1/search'],
    (gateway) => gateway.search({ apiKey: KEY, query: 'Zephyr', model: 'stub/web' }),
  ],
  extract: [
    'stub/read',
    ['/api/v1/extract'],
    (gateway) => gateway.extract({ apiKey: KEY, urls: [URL], model: 'stub/read' }),
  ],
  rerank: [
    'stub/rank',
    ['/api/v1/rerank', '/api/v2/rerank'],
    (gateway) => gateway.rerank({ apiKey: KEY, query: 'Zephyr', documents: ['Opened.'], model: 'stub/rank' }),
  ],
  embeddings: [
    'stub/embed',
    ['/api/v1/embeddings'],
    (gateway) => gateway.embed({ apiKey: KEY, input: 'Zephyr', model: 'stub/embed' }),
  ],
} satisfies Partial<
  Record<keyof EndpointOptions, [model: string, paths: string[], call: (gateway: Gateway) => Promise<object>]>
>;
const NAMES = Object.keys(CALLS) as (keyof typeof CALLS)[];

/** The paths that the gateway leaves to the host. */
async function leftBy({ handle }: Gateway): Promise<string[]> {
  const left: string[] = [];
  for (const path of NAMES.flatMap((name) => CALLS[name][1])) {
    const readBody = () => Promise.resolve({ parsed: {} });
    const request = { method: 'POST', path, query: '', header: () => undefined, readBody, disconnected: false };
    if ((await handle(request)) === undefined) left.push(path);
  }
  return left;
}

it.each(NAMES)(
  'the host may have the path of %s, whose models are then not listed as callable, and work in process',
  async (name) => {
    const [model, paths, call] = CALLS[name];
    const { gateway } = start([stub], { limit: null, endpoints: { [name]: false } });
    expect(await leftBy(gateway)).toEqual(paths);
    const callable = gateway.models({ callable: true }).map(({ id }) => id);
    expect(NAMES.filter((other) => !callable.includes(CALLS[other][0]))).toEqual([name]);
    expect(await call(gateway)).toMatchObject({ model, provider: 'stub' });
    await gateway.close();
  },
);
