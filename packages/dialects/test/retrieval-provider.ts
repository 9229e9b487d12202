import type { ModelRow, Provider } from '@searchgate/core/provider-kit';

const FIELD = { field: 'filters', as: 'filters' };
const LISTED = { source: 'test', asOf: '2026-11-28', confidence: 'high' } as const;
const OPTIONS = {
  includeDomains: FIELD,
  excludeDomains: FIELD,
  freshness: FIELD,
  publishedAfter: FIELD,
  publishedBefore: FIELD,
  country: FIELD,
  language: FIELD,
  topic: FIELD,
};

/** What a provider was asked: the port, and what came with it. */
export type Seen = Readonly<Record<string, unknown>>;

/** A provider that answers, searches and reads, and honors every option. */
export function retrievalProvider(seen: (call: Seen) => void): Provider {
  return {
    id: 'house',
    name: 'House',
    models: [row('house/answer', ['citations', 'json_schema', 'instructions'])],
    answer: {
      async answer({ query, search, responseFormat, instructions }) {
        seen({ port: 'answer', query, search, ...(instructions !== undefined && { instructions }) });
        const text = responseFormat === undefined ? 'In 2021 [1].' : '{"year":2021}';
        return { text, citations: [{ url: URL, title: TITLE, snippet: 'Opened.' }], cost: {} };
      },
    },
    search: {
      models: [row('house/search', ['content'])],
      async search({ model: _model, ...call }) {
        seen({ port: 'search', ...call });
        const { search } = call;
        const page = { url: URL, title: TITLE, snippet: 'Opened.', content: 'The whole page.', date: '2021-05-14' };
        const hosts = search?.includeDomains ?? ['example.org'];
        return { results: hosts.map((host) => ({ ...page, url: `https://${host}/zephyr` })), cost: {} };
      },
    },
    extract: {
      models: [row('house/extract', [])],
      maxUrls: 20,
      async extract({ urls, format }) {
        seen({ port: 'extract', urls, format });
        const pages = urls.map((url) =>
          url.endsWith('/gone')
            ? { url, failed: 'page_not_found' as const }
            : { url, title: TITLE, content: 'The whole page.', date: null },
        );
        return { pages, cost: {} };
      },
    },
  };
}

export const TITLE = 'Zephyr Bridge opens';
export const URL = 'https://example.org/zephyr';

function row(slug: string, features: ModelRow['features']): ModelRow {
  const prices = [{ kind: 'flat', request: '0.005', ...LISTED } as const];
  return { slug, name: slug, description: slug, prices, features, options: OPTIONS, timeoutMs: 1_000 };
}
