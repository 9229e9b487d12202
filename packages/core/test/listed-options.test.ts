import { describe, expect, it } from 'vitest';
import { toFetchHandler } from '../src/index.js';
import { type Provider, type SearchOptions, UpstreamError } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { KEY, reasonOf, start } from './scripted-gateway.js';

const VALUES: Required<SearchOptions> = {
  includeDomains: ['example.org'],
  excludeDomains: ['example.org'],
  freshness: 'week',
  publishedAfter: '2026-01-31',
  publishedBefore: '2026-02-28',
  country: 'DE',
  language: 'de',
};
const onTheWire = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The provider, whose upstream is a record of requests. */
function recorded(provider: Provider) {
  const requests: unknown[] = [];
  const send = ({ url, json }: { url: URL; json?: unknown }) => {
    requests.push(json ?? url.search);
    return Promise.reject(new UpstreamError('query_rejected', { phase: 'connect' }));
  };
  const { answer, search } = provider;
  const recording = {
    ...provider,
    ...(answer && {
      answer: { answer: (call, context) => answer.answer(call, { ...context, upstream: { send } }) },
    }),
    ...(search && {
      search: { ...search, search: (call, context) => search.search(call, { ...context, upstream: { send } }) },
    }),
  } satisfies Provider;
  return { requests, provider: recording };
}

interface Listed {
  readonly id: string;
  readonly category: string;
  readonly options?: readonly string[];
}

describe.each(Object.values(allProviders).map((create) => create({ apiKey: 'a-key' })))('$id', (provider) => {
  it('takes each option that GET /models lists alone', async () => {
    const { provider: recording, requests } = recorded(provider);
    const { gateway } = start([recording], { limit: null, credits: '1000.00' });
    const headers = { authorization: `Bearer ${KEY}` };
    const listing = await toFetchHandler(gateway)(new Request('http://localhost/api/v1/models', { headers }));
    const { data } = (await listing.json()) as { data: Listed[] };
    const rows = [...provider.models, ...(provider.search?.models ?? [])];
    const asked = data.flatMap(({ id, category, options = [] }) => options.map((option) => ({ id, category, option })));
    for (const { id, category, option } of asked) {
      const name = Object.keys(VALUES).find((known) => onTheWire(known) === option) as keyof SearchOptions;
      const [value = VALUES[name]] = rows.find(({ slug }) => slug === id)?.options?.[name]?.values ?? [];
      const search = { [name]: Array.isArray(VALUES[name]) ? [value].flat() : value };
      const call = { apiKey: KEY, model: id, query: 'When?' };
      const ask = (more: object) =>
        reasonOf(category === 'search' ? gateway.search({ ...call, ...more }) : gateway.answer({ ...call, ...more }));
      requests.length = 0;
      expect([id, option, await ask({ search })]).toEqual([id, option, 'query_rejected']);
      await ask({});
      expect(requests).toHaveLength(2);
      expect(requests[0]).not.toEqual(requests[1]);
    }
    const declared = rows.flatMap(({ options = {} }) => Object.keys(options));
    expect(asked).toHaveLength(declared.length);
  });
});
