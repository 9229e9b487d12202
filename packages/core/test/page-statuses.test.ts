import { describe, expect, it } from 'vitest';
import { exa, firecrawl, jina, linkup, parallel, valyu } from '../src/providers/index.js';
import { extractOnce } from './ask-once.js';

const url = 'https://example.org/zephyr';
const content = 'Nothing is here.';

type Row = readonly [typeof exa, string, (status: unknown) => object];

/** Vendors that tell of a good status too, with the text of the page. */
const ALWAYS: readonly Row[] = [
  [
    firecrawl,
    'firecrawl/scrape',
    (statusCode) => ({ success: true, data: { markdown: content, metadata: { statusCode } } }),
  ],
  [jina, 'jina/reader', (httpStatus) => ({ code: 200, data: { content, httpStatus } })],
  [valyu, 'valyu/contents', (status) => ({ results: [{ url, status, content }] })],
];
const OF_FAILURES: readonly Row[] = [
  [exa, 'exa/contents', (status) => ({ results: [], statuses: [{ id: url, status }] })],
  [exa, 'exa/contents', (httpStatusCode) => ({ results: [], statuses: [{ id: url, error: { httpStatusCode } }] })],
  [parallel, 'parallel/extract', (http_status_code) => ({ results: [], errors: [{ url, http_status_code }] })],
];
const BESIDE: Row = [linkup, 'linkup/fetch', (status) => ({ markdown: content, status })];

const FAILURES = {
  page_not_found: [404, 410],
  page_forbidden: [401, 403, 451],
  page_timeout: [408, 504],
  page_unsupported: [415],
  page_failed: [400, 500],
};
const FORMS = (status: number) => [status, `${status}`, ` ${status} `, `${status} Not OK`, `HTTP/1.1 ${status}`];
const readAt = ([create, slug, replyOf]: Row, status: unknown) =>
  extractOnce(create({ apiKey: 'a-key' }), slug, replyOf(status)).then(({ outcome }) => outcome.pages);

describe('the status of a page, as a number or a text,', () => {
  it.each([...ALWAYS, ...OF_FAILURES])('tells why it failed: %o %s', async (...row) => {
    for (const [failed, statuses] of Object.entries(FAILURES))
      for (const form of statuses.flatMap(FORMS))
        expect([form, await readAt(row, form)]).toEqual([form, [{ url, failed }]]);
  });

  it.each(ALWAYS)('tells that it was read: %o %s', async (...row) => {
    for (const form of [...FORMS(200), null, undefined, '', {}])
      expect([form, await readAt(row, form)]).toMatchObject([form, [{ url, content }]]);
  });

  it('may stand beside a whole reply', async () => {
    for (const form of [...FORMS(200), 'ok', 'success', true]) expect(await readAt(BESIDE, form)).toHaveLength(1);
    for (const form of [...FORMS(404), 'error', false])
      await expect(readAt(BESIDE, form)).rejects.toMatchObject({ reason: 'upstream_invalid_response' });
  });
});
