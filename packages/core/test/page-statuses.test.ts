import { describe, expect, it } from 'vitest';
import type { ExtractOutcome } from '../src/provider-kit/provider.js';
import { exa, firecrawl, jina, linkup, parallel, valyu } from '../src/providers/index.js';
import { extractOnce } from './ask-once.js';

const url = 'https://example.org/zephyr';
const content = 'Nothing is here.';
const apiKey = 'a-key';

/** A reply of each vendor that tells the status of a page, with the text of the page. */
const READERS: Readonly<Record<string, (status: unknown) => Promise<{ readonly outcome: ExtractOutcome }>>> = {
  exa: (status) =>
    extractOnce(exa({ apiKey }), 'exa/contents', {
      results: [],
      statuses: [{ id: url, status: 'error', error: { httpStatusCode: status } }],
    }),
  'exa, beside the page': (status) =>
    extractOnce(exa({ apiKey }), 'exa/contents', { results: [], statuses: [{ id: url, status }] }),
  firecrawl: (statusCode) =>
    extractOnce(firecrawl({ apiKey }), 'firecrawl/scrape', {
      success: true,
      data: { markdown: content, metadata: { statusCode } },
    }),
  jina: (httpStatus) => extractOnce(jina({ apiKey }), 'jina/reader', { code: 200, data: { content, httpStatus } }),
  parallel: (status) =>
    extractOnce(parallel({ apiKey }), 'parallel/extract', {
      results: [],
      errors: [{ url, error_type: 'fetch_error', http_status_code: status }],
    }),
  valyu: (status) => extractOnce(valyu({ apiKey }), 'valyu/contents', { results: [{ url, status, content }] }),
};

const FAILURES = [
  [404, 'page_not_found'],
  [410, 'page_not_found'],
  [401, 'page_forbidden'],
  [403, 'page_forbidden'],
  [451, 'page_forbidden'],
  [408, 'page_timeout'],
  [504, 'page_timeout'],
  [415, 'page_unsupported'],
  [500, 'page_failed'],
] as const;
const FORMS = (status: number) => [status, `${status}`, ` ${status} `, `${status} Not OK`, `HTTP/1.1 ${status}`];

describe.each(Object.keys(READERS))('the status of a page of %s', (name) => {
  it.each(FAILURES)('%i is %s, as a number and as a text', async (status, failed) => {
    for (const form of FORMS(status)) {
      const { outcome } = await READERS[name]!(form);
      expect([form, outcome.pages]).toEqual([form, [{ url, failed }]]);
    }
  });
});

it.each(['firecrawl', 'jina', 'valyu'])('a page of %s with a good status is read', async (name) => {
  for (const form of [...FORMS(200), null, undefined, '', {}]) {
    const { outcome } = await READERS[name]!(form);
    expect([form, outcome.pages]).toMatchObject([form, [{ url, content }]]);
  }
});

it('a status beside a whole reply may be a text', async () => {
  const asked = (status: unknown) => extractOnce(linkup({ apiKey }), 'linkup/fetch', { markdown: content, status });
  for (const form of [...FORMS(200), 'ok', 'success', true]) expect((await asked(form)).outcome.pages).toHaveLength(1);
  for (const form of [...FORMS(404), 'error', false])
    await expect(asked(form)).rejects.toMatchObject({ reason: 'upstream_invalid_response' });
});
