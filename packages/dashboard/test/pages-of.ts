import { type ModelRow, type Provider, UpstreamError } from '@searchgate/core/provider-kit';

/** Pages that attack their reader. */
export const HOSTILE = {
  title: '<img src=x onerror=alert(1)>',
  snippet: '<script>alert(1)</script> [click](javascript:alert(1))',
  text: '<img src=x onerror=alert(1)>[1](javascript:alert(1))\n'.repeat(20_000),
};

function modelOf(slug: string, row: Partial<ModelRow>, price: object): ModelRow {
  const origin = { source: 'test', asOf: '2026-11-26', confidence: 'high' } as const;
  const facts = { name: slug, description: 'Pages of a test.', features: [], contextLength: null, timeoutMs: 10_000 };
  return { slug, ...facts, ...row, prices: [{ kind: 'flat', ...price, ...origin }] };
}

/** The search and the extract of a scripted provider. The query "fail" fails, and no page with "gone" in its address can be read. */
export function pagesOf(id: string): Required<Pick<Provider, 'search' | 'extract'>> {
  const find = { features: ['content'], maxResults: 20, options: { includeDomains: { as: 'sites' } } };
  return {
    search: {
      models: [modelOf(`${id}/find`, find, { request: '0.007', perResult: '0.001', includedResults: 10 })],
      async search({ query, includeContent }) {
        if (/fail/i.test(query)) throw new UpstreamError('upstream_error', { phase: 'headers' });
        const content = includeContent ? HOSTILE.text : null;
        const results = [
          { url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty.', date: '2026-11-02', score: 0.87 },
          { url: 'https://example.org/hostile', title: HOSTILE.title, snippet: HOSTILE.snippet, content },
        ];
        return { results, cost: {} };
      },
    },
    extract: {
      models: [modelOf(`${id}/read`, {}, { perPage: '0.002' })],
      maxUrls: 20,
      async extract({ urls }) {
        const pages = urls.map((url) =>
          url.includes('gone')
            ? { url, failed: 'page_not_found' as const }
            : { url, title: HOSTILE.title, content: HOSTILE.text, date: '2026-11-02' },
        );
        return { pages, cost: {} };
      },
    },
  };
}
