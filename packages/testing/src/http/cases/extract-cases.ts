import { ask, type Expectation, type HttpCase, refused, row } from '../http-case.js';
import { ADDRESSES } from '../stub-pages.js';
import { failed, find, mismatch, ofEveryKind, ofPath, read, tooDear, unsupported, wrong } from './kind-case.js';
import { after, named, replayed, TOO_LARGE_TO_KEEP } from './named-call.js';

const { page, gone, unmentioned, long, broken } = ADDRESSES;
const shown = (url: string, content = 'Zephyr as markdown') =>
  `{"url":"${url}","title":"Zephyr Bridge","content":"${content}","date":"2021-05-14","truncated":false}`;
/** @param pages as shown. */
function readAs(pages: readonly string[], failures: readonly object[] = []): Expectation {
  const amount = `0.00${pages.length}`;
  const lists = `"results":[${pages.join()}],"failed":${JSON.stringify(failures)}`;
  const usage = `"usage":{"pages":${pages.length},"cost":${amount}}`;
  const body = `{"id":"<id>","model":"stub/read","provider":"stub",${lists},${usage}}`;
  return { status: 200, body, charge: { amount, model: 'stub/read' } };
}
const READ = readAs([shown(page)]);
const CUT = readAs([shown(long, 'x'.repeat(1_000)).replace('"truncated":false', '"truncated":true')]);
const TEXT = readAs([shown(page, 'Zephyr as text')]);
const PARTS = readAs([shown(page), shown(`${page}/2`)], [{ url: broken, reason: 'page_failed' }]);

const FAILED = [
  { url: gone, reason: 'page_not_found' },
  { url: unmentioned, reason: 'page_failed' },
];
const ATTEMPT = { provider: 'stub', model: 'stub/read', attempts: 1, upstream_status: 200, phase: 'shape' };
const NO_PAGE = {
  type: 'upstream_error',
  reason: 'no_page_extracted',
  metadata: { ...ATTEMPT, failed: FAILED },
} as const;
const EVENT = { endpoint: 'extract', model: 'stub/read', cost: 1_000_000n, attempts: 1 } as const;

const notPublic = (url: string, message = 'must be an address of the public internet') =>
  wrong(read, { urls: [page, url] }, ['urls.1', message]);
const PRIVATE =
  'http://localhost/ http://printer/ http://db.internal/ http://127.1/ http://2130706433/ http://10.0.0.1/ http://169.254.169.254/latest http://[::1]/ http://[::ffff:10.0.0.1]/';
const MANY = Array.from({ length: 21 }, (_, at) => `${page}/${at}`);
const LARGE = read({ urls: [long, `${long}?2`], max_characters: 1_000_000 });

/** Rows in which a host can make a difference. */
export const EXTRACT_TRANSPORT_CASES: readonly HttpCase[] = [
  {
    name: 'reads pages in parts, names those that fail, and charges those that came',
    request: read({ urls: [gone, page, unmentioned] }),
    expect: { ...readAs([shown(page)], FAILED), event: EVENT },
  },
  row('answers 502 if no page can be read', read({ urls: [gone, unmentioned] }), refused(502, NO_PAGE)),
  ...ofPath('extract', read, READ),
];

/** `POST /extract`. */
export const EXTRACT_CASES: readonly HttpCase[] = [
  ...EXTRACT_TRANSPORT_CASES,
  { name: 'reads an address once', request: read({ urls: [page, 'HTTPS://Example.org:443/zephyr'] }), expect: READ },
  { name: 'asks for plain text', request: read({ format: 'text' }), expect: TEXT },
  { name: 'cuts long pages, and says so', request: read({ urls: [long], max_characters: 1_000 }), expect: CUT },
  { name: 'keeps pages if another part fails', request: read({ urls: [page, `${page}/2`, broken] }), expect: PARTS },
  failed(read({ urls: [broken] }), 'stub/read'),
  ...PRIVATE.split(' ').map((url) => notPublic(url)),
  notPublic('https://user:word@example.org/', 'must have no user name and no password'),
  notPublic('ftp://example.org/', 'must be an http(s) address such as "https://example.org/page"'),
  notPublic(`https://example.org/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'),
  wrong(read, { urls: [] }, 'must not be empty'),
  wrong(read, { urls: MANY }, 'must have at most 20 addresses'),
  wrong(read, { urls: page }, 'must be an array of 1 to 20 http(s) addresses'),
  wrong(read, { format: 'html' }, 'must be "markdown" or "text"'),
  wrong(read, { max_characters: 999 }, 'must be at least 1,000'),
  wrong(read, { max_characters: 1_000_001 }, 'must be at most 1,000,000'),
  ...unsupported(read, 'url', 'urls'),
  ...unsupported(read, 'formats', 'format'),
  ...unsupported(read, 'max_length', 'max_characters'),
  ...unsupported(read, 'query search render_js max_age_seconds'),
  ...ofEveryKind(read, READ),
  mismatch(read({ model: 'stub/find' }), 'search', '/api/v1/search'),
  mismatch(ask({ model: 'stub/read' }), 'extract', '/api/v1/extract'),
  mismatch(find({ model: 'stub/read' }), 'extract', '/api/v1/extract'),
  tooDear(read({ urls: [page, gone] }), 0.002),
  replayed({ name: 'replays an extract to the last byte, and charges once', request: read(), expect: READ }),
  { ...row('repeats no extract too large to be kept', named(LARGE), TOO_LARGE_TO_KEEP), before: after(LARGE) },
];
