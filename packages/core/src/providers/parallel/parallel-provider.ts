import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, OutcomeCost, Provider } from '../../provider-kit/provider.js';
import {
  type Connection,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { readModels } from '../../provider-kit/read-models.js';
import { citedText } from '../../provider-kit/responses-citations.js';
import { finishReasonOf, plainTextOf, responsesReply, searchesOf } from '../../provider-kit/responses-reply.js';
import rows from './models.json' with { type: 'json' };
import { parallelExtractPort, parallelSearchPort } from './parallel-ports.js';

/** Parallel also searches without a tool. The tool only narrows the search. */
function parallelSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = definedFields({ allowed_domains: includeDomains, blocked_domains: excludeDomains });
  return { tools: [{ type: 'web_search', filters }] };
}

/** Of input and instructions together (docs.parallel.ai, read 2026-11-20). */
const MAX_QUERY_CHARACTERS = 20_000;

/** Asks `POST /v1/responses` (OpenAPI document 0.1.2, read 2026-11-21). */
function parallelAnswer(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/responses',
    authorize: keyHeader('x-api-key'),
    errors: [],
    reply: responsesReply,
    completeness: finishReasonOf,
  });
  return {
    async answer({ model, query, search, responseFormat }, context) {
      assertQueryFits(query, MAX_QUERY_CHARACTERS);
      const effort = model.slug.slice('parallel/responses-'.length);
      const request = { model: 'parallel', input: query, reasoning: { effort }, stream: false };
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
function flatPrice({ prices: [price] }: ModelRow): OutcomeCost {
  return outcomeCost(price?.kind === 'flat' ? price.request : undefined);
}

const parallelSettings = z.strictObject(commonSettings('https://api.parallel.ai', readModels('parallel', rows)));

/**
 * Parallel (parallel.ai), by its Responses, Search and Extract APIs. 300 answers, 600 searches and 600 extracts a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function parallel(settings: ProviderSettings): Provider {
  const { models, searchModels, extractModels, ...parsed } = parseProviderSettings(
    parallelSettings,
    settings,
    'parallel',
  );
  const { common, connection } = parsed;
  return {
    id: 'parallel',
    name: 'Parallel',
    models,
    ...common,
    answer: parallelAnswer(connection),
    search: { models: searchModels, search: parallelSearchPort(connection) },
    extract: { models: extractModels, maxUrls: 20, extract: parallelExtractPort(connection) },
  };
}
