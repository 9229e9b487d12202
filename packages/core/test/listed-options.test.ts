import { describe, expect, it } from 'vitest';
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
  topic: 'news',
};

/** The provider, whose upstream keeps and refuses the requests. */
function recorded(provider: Provider) {
  const requests: unknown[] = [];
  const send = ({ url, json }: { url: URL; json?: unknown }) => {
    requests.push(json ?? url.search);
    return Promise.reject(new UpstreamError('query_rejected', { phase: 'connect' }));
  };
  const upstream = { send };
  const { answer, search } = provider;
  const recording: Provider = {
    ...provider,
    answer: answer && { answer: (call, context) => answer.answer(call, { ...context, upstream }) },
    search: search && { ...search, search: (call, context) => search.search(call, { ...context, upstream }) },
  };
  return { requests, gateway: start([recording], { limit: null, credits: '1000.00' }).gateway };
}

describe.each(Object.values(allProviders).map((create) => create({ apiKey: 'a-key' })))('$id', (provider) => {
  it('takes each option that GET /models lists alone', async () => {
    const { requests, gateway } = recorded(provider);
    const rows = [...provider.models, ...(provider.search?.models ?? [])];
    const listed = gateway.models().flatMap((model) => (model.options ?? []).map((option) => ({ ...model, option })));
    expect(listed).toHaveLength(rows.flatMap(({ options = {} }) => Object.keys(options)).length);
    for (const { id, category, option } of listed) {
      const [only] = rows.find(({ slug }) => slug === id)?.options?.[option]?.values ?? [];
      const value = typeof VALUES[option] === 'string' ? (only ?? VALUES[option]) : VALUES[option];
      const call = { apiKey: KEY, model: id, query: 'When?', search: { [option]: value } };
      requests.length = 0;
      const refused = await reasonOf(category === 'search' ? gateway.search(call) : gateway.answer(call));
      expect([id, option, refused, requests.length]).toEqual([id, option, 'query_rejected', 1]);
    }
  });
});
