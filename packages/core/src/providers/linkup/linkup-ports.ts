import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { ExtractPort, PageFailure, SearchPort } from '../../provider-kit/provider.js';
import { type Connection, modelName } from '../../provider-kit/provider-settings.js';
import { looseList, textFields } from '../../provider-kit/reply-fields.js';
import { LINKUP, linkupSearch } from './linkup-api.js';

const FREE = outcomeCost(0);

/** All fields of results (linkup-sdk 3.2.7, 2026-08-24): no date, no score, no id and no cost. */
const found = z.object({
  results: looseList(z.object(textFields('type', 'name', 'url', 'content'))),
});

/**
 * Asks `POST /search` for bare results (docs.linkup.so, read 2026-11-26). The content is an extract of the page, and always there. A search that finds
 * nothing is free.
 */
export function linkupSearchPort(connection: Connection): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...LINKUP, path: '/search', reply: found, completeness: 'valid JSON' });
  return async ({ model, query, maxResults, search }, context) => {
    const question = {
      q: query,
      depth: modelName(model),
      outputType: 'searchResults',
      maxResults,
      ...(search && linkupSearch(search)),
    };
    try {
      const { body } = await ask(question, context);
      const pages = body.results.filter(({ type }) => type !== 'image');
      const results = pages.map(({ name, url, content }) => ({ url, title: name, content }));
      return { results, cost: body.results.length === 0 ? FREE : {} };
    } catch (error) {
      if (isUpstreamError(error) && error.reason === 'no_answer_found') return { results: [], cost: FREE };
      throw error;
    }
  };
}

const read = z.object({ markdown: z.string() });

/** Asks `POST /fetch` (docs.linkup.so, read 2026-11-26), which gives Markdown alone, whichever format is wanted. Pages that fail are free. */
export function linkupExtractPort(connection: Connection): ExtractPort['extract'] {
  const ask = jsonEndpoint(connection, { ...LINKUP, path: '/fetch', reply: read, completeness: 'valid JSON' });
  return async ({ model, urls: [url = ''] }, context) => {
    try {
      const { markdown } = (await ask({ url, renderJs: model.slug === 'linkup/fetch-js' }, context)).body;
      return { pages: [{ url, title: /^# (.+)/m.exec(markdown)?.[1], content: markdown }], cost: {} };
    } catch (error) {
      const failed = pageFailure(error);
      if (failed === undefined) throw error;
      return { pages: [{ url, failed }], cost: FREE };
    }
  };
}

const UNSUPPORTED = /\bFETCH_(?:RESPONSE_TOO_LARGE|UNSUPPORTED_CONTENT_TYPE|URL_IS_FILE)\b/;

/** The codes of a 400 tell of the page, never of its own status. Only the address of a request can fail Linkup's validation. */
function pageFailure(error: unknown): PageFailure | undefined {
  if (!isUpstreamError(error) || error.status !== 400) return undefined;
  if (UNSUPPORTED.test(error.detail)) return 'page_unsupported';
  return /\b(?:FETCH_[A-Z_]+|VALIDATION_ERROR)\b/.test(error.detail) ? 'page_failed' : undefined;
}
