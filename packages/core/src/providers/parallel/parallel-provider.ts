import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { assertQueryFits } from '../../provider-kit/call-fields.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { citedText } from '../../provider-kit/responses-citations.js';
import { finishReasonOf, plainTextOf, responsesReply, searchesOf } from '../../provider-kit/responses-reply.js';
import rows from './models.json' with { type: 'json' };
import { PARALLEL, parallelExtractPort, parallelSearchPort } from './parallel-ports.js';

/** Parallel also searches without a tool. The tool only narrows the search. */
function parallelSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = { allowed_domains: includeDomains, blocked_domains: excludeDomains };
  return { tools: [{ type: 'web_search', filters }] };
}

/** Of input and instructions together (docs.parallel.ai, read 2026-11-20). */
const MAX_QUERY_CHARACTERS = 20_000;

/** Asks `POST /v1/responses` (OpenAPI document 0.1.2, read 2026-11-21). */
function parallelAnswer(connection: Connection): AnswerAdapter {
  const endpoint = { ...PARALLEL, path: '/v1/responses', reply: responsesReply, completeness: finishReasonOf };
  const ask = jsonEndpoint(connection, endpoint);
  return {
    async answer({ model, query, search, responseFormat, instructions }, context) {
      assertQueryFits(query + (instructions ?? ''), MAX_QUERY_CHARACTERS);
      const effort = model.slug.slice('parallel/responses-'.length);
      const request = { model: 'parallel', input: query, instructions, reasoning: { effort }, stream: false };
      // Every answer cites, also in JSON (docs.parallel.ai/responses-api/features/structured-outputs and citations, read 2026-11-27).
      const text = responseFormat && { format: { type: 'json_schema', ...responseFormat } };
      const fields = { ...request, text, ...(search && parallelSearch(search)) };
      const { body, finish, failure } = await ask(fields, context);
      // Parallel bills only successful requests.
      assertComplete({ finish, failure }, {});
      const paid = flatPrice(model);
      const { sources, ...cited } = citedText(body);
      const json = responseFormat && plainTextOf(body);
      // By the documentation every answer rests on the live web and cites it. An answer without citations shows no search.
      assertSearched(sources.length > 0 || searchesOf(body) > 0, failure, paid);
      const { id: upstreamRequestId, model: servedModel } = body;
      const answer = composeAnswer({ ...cited, json, sources, cost: paid, upstreamRequestId, servedModel });
      // Parallel reports no cost, and the usage of a reply is an estimate that is not billed.
      return { ...answer, cost: {} };
    },
  };
}

/** The cost of a reply that turns out to be no answer. */
function flatPrice({ prices: [price] }: ModelRow) {
  return outcomeCost(price?.kind === 'flat' ? price.request : undefined);
}

/**
 * Parallel (parallel.ai), by its Responses, Search and Extract APIs. 300 answers, 600 searches and 600 extracts a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const parallel: (settings: ProviderSettings) => Provider = defineProvider({
  id: 'parallel',
  name: 'Parallel',
  baseUrl: 'https://api.parallel.ai',
  models: rows,
  byName: ['search'],
  ports: (connection) => ({
    answer: parallelAnswer(connection),
    search: parallelSearchPort(connection),
    extract: { maxUrls: 20, extract: parallelExtractPort(connection) },
  }),
});
