import type { RerankingModelV4, SharedV4Warning } from '@ai-sdk/provider';
import { z } from 'zod';
import {
  type CallSettings,
  callFields,
  callSettings,
  checkOptions,
  idempotencyKey,
  type OwnKey,
} from './searchgate-options.js';
import { type Connection, createSender, wholeReply } from './send-call.js';
import { replyMetadata, replyShape } from './wire.js';

const AS_JSON: SharedV4Warning = {
  type: 'compatibility',
  feature: 'object documents',
  details: 'Objects are ranked as JSON.',
};

/** `providerOptions.searchgate` of one rerank. */
export interface SearchgateRerankingOptions extends CallSettings, OwnKey {}

const optionsSchema = callSettings.extend({ idempotencyKey });

/** The body of a 200 of `POST /api/v1/rerank`. */
const replySchema = z.object({
  ...replyShape,
  results: z.array(z.object({ index: z.number(), relevance_score: z.number() })),
  usage: z.object({ cost: z.number() }),
});
const readRanks = wholeReply(replySchema);

/** A reranking model of a gateway, in version 4 of the specification. */
export function rerankingModel(modelId: string, connection: Connection): RerankingModelV4 {
  const send = createSender(connection, '/rerank');
  return {
    specificationVersion: 'v4',
    provider: 'searchgate',
    modelId,
    async doRerank({ documents: { type, values }, query, topN, providerOptions, ...call }) {
      const { idempotencyKey: ownKey, ...own } = checkOptions(optionsSchema, providerOptions);
      const documents = type === 'text' ? values : values.map((value) => JSON.stringify(value));
      const body = { model: modelId, query, documents, top_n: topN, ...callFields(own) };
      const { value, rawValue, responseHeaders } = await send({
        ...call,
        body,
        idempotencyKey: ownKey,
        read: readRanks,
      });
      return {
        ranking: value.results.map(({ index, relevance_score }) => ({ index, relevanceScore: relevance_score })),
        providerMetadata: replyMetadata(value),
        response: { id: value.id, modelId: value.model, headers: responseHeaders, body: rawValue },
        warnings: type === 'text' ? [] : [AS_JSON],
      };
    },
  };
}
