import { type ModelRow, type Provider, UpstreamError } from '@searchgate/core/provider-kit';

/** Pages and documents that attack their reader. */
export const HOSTILE = {
  title: '<img src=x onerror=alert(1)>',
  snippet: '<script>alert(1)</script> [click](javascript:alert(1))',
  text: '<img src=x onerror=alert(1)>[1](javascript:alert(1))\n'.repeat(20_000),
};

function modelOf(slug: string, row: Partial<ModelRow>, price: object): ModelRow {
  const origin = { source: 'test', asOf: '2026-11-26', confidence: 'high' } as const;
  const facts = { name: slug, description: 'A model of a test.', features: [], contextLength: null, timeoutMs: 10_000 };
  return { slug, ...facts, ...row, prices: [{ kind: 'flat', ...price, ...origin }] };
}

/**
 * The ports of a scripted provider besides answers. The query "fail" fails, no page with "gone" in its address can be read, the last document is the most
 * relevant, and vectors have 1,536 numbers.
 */
export function portsOf(id: string): Required<Pick<Provider, 'search' | 'extract' | 'rerank' | 'embed'>> {
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
    rerank: {
      models: [modelOf(`${id}/rank`, {}, { perSearchUnit: '0.002' })],
      async rerank({ documents }) {
        const ranks = documents.map((_, index) => ({ index, score: (index + 1) / 10 }));
        return { ranks, cost: { usage: { searchUnits: 1 } } };
      },
    },
    embed: {
      models: [modelOf(`${id}/embed`, { dimensions: 1_536 }, { perMillionTokens: '100' })],
      maxInputs: 100,
      async embed({ inputs }) {
        const vector = Array.from({ length: 1_536 }, (_, index) => (index + 1) / 1_024);
        const embeddings = inputs.map((_, index) => ({ index, vector }));
        return { embeddings, cost: { usage: { inputTokens: 10 * inputs.length } } };
      },
    },
  };
}
