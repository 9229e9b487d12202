import { UpstreamError, type UpstreamReason } from '@searchgate/core/provider-kit';
import { describe, expect, it } from 'vitest';
import { exa, firecrawl, searxng, tavily } from '../src/index.js';
import { formAsker } from './form-asker.js';
import { URL } from './retrieval-provider.js';

const SEARCH = { search: 'house/search' };
const MODELS = { ...SEARCH, extract: 'house/extract', answer: 'house/answer' };
const ENDPOINTS = {
  tavily: tavily(MODELS),
  exa: exa(MODELS),
  firecrawl: firecrawl(MODELS),
  searxng: searxng(SEARCH),
};
const OWN = {
  search: { path: '/api/v1/search', body: { model: 'house/search', query: 'Zephyr' } },
  extract: { path: '/api/v1/extract', body: { model: 'house/extract', urls: [URL] } },
  answer: { path: '/api/v1/answer', body: { model: 'house/answer', query: 'Zephyr' } },
};
const FORMS: [keyof typeof OWN, string, object | undefined][] = [
  ['search', '/api/v1/tavily/search', { query: 'Zephyr' }],
  ['search', '/api/v1/exa/search', { query: 'Zephyr' }],
  ['search', '/api/v1/firecrawl/v2/search', { query: 'Zephyr' }],
  ['search', '/api/v1/searxng/search?q=Zephyr', undefined],
  ['answer', '/api/v1/tavily/search', { query: 'Zephyr', include_answer: true }],
  ['answer', '/api/v1/exa/answer', { query: 'Zephyr' }],
  ['extract', '/api/v1/tavily/extract', { urls: [URL] }],
  ['extract', '/api/v1/exa/contents', { urls: [URL] }],
  ['extract', '/api/v1/firecrawl/v2/scrape', { url: URL }],
];
/** A reason that is missing does not compile. */
const REASONS = Object.keys({
  upstream_auth_failed: true,
  upstream_quota_exhausted: true,
  upstream_rate_limited: true,
  upstream_rejected: true,
  query_rejected: true,
  no_answer_found: true,
  no_page_extracted: true,
  upstream_error: true,
  upstream_unreachable: true,
  upstream_timeout: true,
  upstream_invalid_response: true,
} satisfies Record<UpstreamReason, true>) as UpstreamReason[];

describe.each(FORMS)('%s in the form of %s', (kind, path, body) => {
  it.each(REASONS)('fails like our own path for %s, and names the reason', async (reason) => {
    const ask = formAsker(ENDPOINTS, () => {
      throw new UpstreamError(reason, { phase: 'headers', status: 500 });
    });
    const own = await ask(OWN[kind]);
    const form = await ask({ path, ...(body && { body }) });
    expect([form.status, form.retryAfter, form.spent]).toEqual([own.status, own.retryAfter, own.spent]);
    expect(JSON.stringify(form.body).toLowerCase()).toContain(reason);
  });

  it('an organization without credits is refused', async () => {
    const ask = formAsker(ENDPOINTS, undefined, '0.001');
    const { status, spent, seen } = await ask({ path, ...(body && { body }) });
    expect([status, spent, seen]).toEqual([402, 0, undefined]);
  });

  it('a repeated Idempotency-Key is charged once, and gives the same reply', async () => {
    const ask = formAsker(ENDPOINTS);
    const request = { path, ...(body && { body }), headers: { 'idempotency-key': 'one' } };
    const [first, second] = [await ask(request), await ask(request)];
    expect([first.spent, second.spent]).toEqual([0.005, 0]);
    expect({ ...(second.body as object), response_time: 0 }).toEqual({ ...(first.body as object), response_time: 0 });
  });
});
