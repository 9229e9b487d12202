import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import { reportedNumber } from '../../base/money.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { type JsonReply, outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import { onePage, otherUrl } from '../../provider-kit/one-page.js';
import { failureOfStatus } from '../../provider-kit/page-failures.js';
import type { Connection, ExtractPort, OutcomeCost, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { embedAt, rerankAt } from '../../provider-kit/ranks-and-vectors.js';
import { looseList, optional, requiredNumber, textFields } from '../../provider-kit/reply-fields.js';

/** Search and Reader by their source (jina-ai/reader@f289e5d, 2026-05-01, with civkit 0.10.3, read 2026-11-26). That the hosted services equal it is not proved. */
const JINA_ERRORS: ErrorTable = [
  // Nothing was found, or no text could be read.
  { status: 422, code: '42206', reason: 'no_answer_found' },
];

/**
 * How every success begins. Its `status` of 20000 would pass for an HTTP error where valid JSON is the evidence: here the evidence is the code, without
 * which no reply has the expected shape.
 */
const success = { code: requiredNumber.pipe(z.literal(200)) };
const JINA = { path: '/', errors: JINA_ERRORS, completeness: () => 'complete' as const };

const usage = optional.object({ usage: optional.object({ tokens: optional.number }) });
const found = z.object(textFields('url', 'title', 'description', 'content', 'date', 'publishedTime'));
const searchReply = z.object({ ...success, data: looseList(found), meta: usage });

/** Asks `POST /` of `s.jina.ai`. Whether the pages are read is said in a header. A search that finds nothing is free. */
export function jinaSearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...JINA, reply: searchReply });
  const headers = { ...connection.headers, 'x-respond-with': 'no-content' };
  const askWithout = jsonEndpoint({ ...connection, headers }, { ...JINA, reply: searchReply });
  return async ({ query, maxResults, includeContent, search }, context) => {
    const question = { q: query, num: maxResults, ...(search && { site: search.includeDomains, gl: search.country }) };
    try {
      const reply = await (includeContent ? ask : askWithout)(question, context);
      const results = reply.body.data.map(({ url, title, description, content, date, publishedTime }) => ({
        url,
        title,
        snippet: description,
        content,
        // Often in words such as "3 days ago".
        date: date || publishedTime,
      }));
      return { results, cost: tokensOf(reply, reply.body.meta?.usage) };
    } catch (error) {
      if (isUpstreamError(error) && error.reason === 'no_answer_found') return { results: [], cost: outcomeCost(0) };
      throw error;
    }
  };
}

const readerReply = z.object({
  ...success,
  data: z.object({
    ...textFields('url', 'title', 'content'),
    /** Instead of the content, where text is asked for. */
    text: optional.text,
    publishedTime: optional.text,
    /** The status of the page, in replies since 2026-09. */
    httpStatus: optional.status,
    warning: optional.text,
    usage: optional.object({ tokens: optional.number }),
  }),
  meta: usage,
});

/** Asks `POST /` of `r.jina.ai`. A page with an error of its own comes as a success, and is billed; a page that cannot be read is free. */
export function jinaExtractPort(connection: Connection): Omit<ExtractPort, 'models'> {
  const ask = jsonEndpoint(connection, { ...JINA, reply: readerReply });
  return onePage({
    async read(url, context, { format }) {
      const asText = format === 'text' ? { respondWith: 'text' } : {};
      const reply = await ask({ url, ...asText, retainImages: 'none' }, context);
      const { data, meta } = reply.body;
      const failed = failureOfStatus(data.httpStatus ?? statusIn(data.warning ?? ''));
      const text = { title: data.title, content: data.content || data.text, date: data.publishedTime };
      const page = { url, ...otherUrl(data.url, url), ...text };
      return {
        pages: [failed === undefined ? page : { url, failed }],
        cost: tokensOf(reply, meta?.usage ?? data.usage),
      };
    },
    failureOf: ({ phase, detail }) =>
      phase === 'headers' ? PAGE_CODES.find(([code]) => code.test(detail))?.[1] : undefined,
  });
}

/** Jina bills the tokens that it reports, in the reply or in a header. */
function tokensOf(
  { header }: Pick<JsonReply<unknown>, 'header'>,
  reported: { readonly tokens?: number | null | undefined } | null | undefined,
): OutcomeCost {
  const inHeader = header('x-usage-tokens');
  const inputTokens = reported?.tokens ?? reportedNumber(inHeader);
  // No tokens are a price of zero, not a missing figure.
  return outcomeCost(inputTokens === 0 ? 0 : undefined, { inputTokens });
}

/** Replies without `httpStatus` tell the status of the page in words, among other warnings. */
function statusIn(warning: string): number {
  return Number(/returned error (\d{3})/.exec(warning)?.[1] ?? 200);
}

/** Codes that tell of the page: a wrong address, too many failures of late, nothing to read; too large; a private or blocked host. */
const PAGE_CODES: readonly (readonly [code: RegExp, failure: PageFailure])[] = [
  [/\b(?:40001|40301|42206)\b/, 'page_failed'],
  [/\b41302\b/, 'page_unsupported'],
  [/\b45102\b/, 'page_forbidden'],
];

// Facts are of api.jina.ai/openapi.json, jina-ai/meta-prompt@0d087a6 and jina-ai/jina-on-prem@03bf51b, read on 2026-11-26.

const JINA_RETRIEVAL_ERRORS: ErrorTable = [
  // With status 403.
  { code: /INSUFFICIENT_BALANCE/, reason: 'upstream_quota_exhausted' },
  { message: /insufficient (?:account )?balance/i, reason: 'upstream_quota_exhausted' },
  // The only words seen for a text that is too long (2025-10).
  { status: [400, 422], message: /failed to encode text|too long|exceed/i, reason: 'query_rejected' },
];

/** Asks `POST /v1/rerank`. */
export function jinaRerankPort(connection: Connection) {
  return rerankAt(connection, {
    path: '/v1/rerank',
    errors: JINA_RETRIEVAL_ERRORS,
    request: ({ model, query, documents, topN }) => ({ model, query, documents, top_n: topN, return_documents: false }),
  });
}

const TASKS = { query: 'retrieval.query', document: 'retrieval.passage' };

/** Asks `POST /v1/embeddings`, which refuses texts that are too long. */
export function jinaEmbedPort(connection: Connection) {
  return embedAt(connection, {
    path: '/v1/embeddings',
    errors: JINA_RETRIEVAL_ERRORS,
    request: ({ model, inputs, inputType, dimensions }) => ({
      model,
      input: inputs,
      embedding_type: 'base64',
      normalized: true,
      dimensions,
      task: inputType && TASKS[inputType],
    }),
  });
}
