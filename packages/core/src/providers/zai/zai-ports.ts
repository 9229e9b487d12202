import { z } from 'zod';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import { otherUrl } from '../../provider-kit/one-page.js';
import type { Connection, ExtractPort, SearchPort } from '../../provider-kit/provider.js';
import { looseList, textFields } from '../../provider-kit/reply-fields.js';
import { ZAI, zaiSearch } from './zai-answer.js';

/** The engine of `/web_search`, which has another name than the engine of answers. */
export const WEB_SEARCH_ENGINE = 'search-prime';

const found = z.object({
  ...textFields('id', 'request_id'),
  search_result: looseList(z.object(textFields('title', 'content', 'link', 'publish_date'))),
});

/** Asks `POST /web_search`. Its content is a summary of some 500 characters, and no cost is reported. */
export function zaiSearchPort(connection: Connection, search_engine: string): SearchPort['search'] {
  const ask = jsonEndpoint(connection, { ...ZAI, path: '/web_search', reply: found, completeness: 'valid JSON' });
  return async ({ query, maxResults, search }, context) => {
    const { body } = await ask(
      { search_engine, search_query: query, count: maxResults, ...(search && zaiSearch(search)) },
      context,
    );
    const results = body.search_result.map(({ link, title, content, publish_date }) => ({
      url: link,
      title,
      snippet: content,
      date: publish_date,
    }));
    return { results, cost: {}, upstreamRequestId: body.request_id ?? body.id };
  };
}

const read = z.object({
  ...textFields('id', 'request_id'),
  reader_result: z.object(textFields('url', 'title', 'content')),
});

/** Asks `POST /reader`. How a page fails is not documented: as an error of the call, or without content (low confidence). */
export function zaiExtractPort(connection: Connection): ExtractPort['extract'] {
  const ask = jsonEndpoint(connection, { ...ZAI, path: '/reader', reply: read, completeness: 'valid JSON' });
  return async ({ urls: [url = ''], format }, context) => {
    const { body } = await ask({ url, return_format: format, retain_images: false }, context);
    const { title, content, url: resolved } = body.reader_result;
    const pages = [{ url, ...otherUrl(resolved, url), title, content }];
    return { pages, cost: {}, upstreamRequestId: body.request_id ?? body.id };
  };
}
