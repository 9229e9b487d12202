import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { AnswerBody } from '@searchgate/core';
import { z } from 'zod';

/** One entry of the citations: the citation marker `[1]` refers to the first entry. */
const citationSchema = z.object({ title: z.string(), url: z.string(), snippet: z.string() });

const count = z.number();
const groundingSchema = z.object({ sentences: count, supported: count, unsupported: count, removed: count });

/** The body of a 200 of `POST /api/v1/answer`, and the data of the event `done`. */
export const answerSchema: z.ZodType<AnswerBody> = z.object({
  id: z.string(),
  model: z.string(),
  provider: z.string(),
  answer: z.string(),
  citations: z.array(citationSchema).optional(),
  grounding: groundingSchema.optional(),
  truncated: z.literal(true).optional(),
  usage: z.object({ cost: z.number() }),
});

/** The fields of every reply. */
export const replyShape = { id: z.string(), model: z.string(), provider: z.string() };

/** The body of a 200 of `POST /api/v1/embeddings` with vectors in base64. */
export const embeddingsSchema = z.object({
  ...replyShape,
  data: z.array(z.object({ embedding: z.string() })),
  usage: z.object({ prompt_tokens: z.number(), cost: z.number() }),
});

const text = z.string();

/** Of the body of a 200 of `POST /api/v1/search`, what the tool gives to the application. */
export const searchSchema = z.object({
  ...replyShape,
  results: z.array(
    z.object({ title: text, url: text, snippet: text, content: text.nullable(), date: text.nullable() }),
  ),
  usage: z.object({ cost: z.number() }),
});
/** The reply to a search, as the tool gives it to the application. */
export type SearchToolOutput = z.output<typeof searchSchema>;

/** `providerMetadata` of a reply: id in the ledger, provider, cost in USD. */
export function replyMetadata(reply: Pick<AnswerBody, 'id' | 'provider' | 'usage'>): SharedV4ProviderMetadata {
  return { searchgate: { id: reply.id, provider: reply.provider, cost: reply.usage.cost } };
}

/** The body of every 4xx and 5xx, and the data of the event `error`. Loose, so that fields of newer gateways reach the application. */
export const errorSchema: z.ZodType<SearchgateErrorData> = z.object({
  error: z.looseObject({
    code: z.number(),
    type: z.string(),
    reason: z.string(),
    message: z.string(),
    param: z.string().nullable(),
    retryable: z.boolean(),
    request_id: z.string(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  }),
});

export const startSchema = z.object({ id: z.string(), model: z.string(), provider: z.string() });
export const citationsSchema = z.object({ citations: z.array(citationSchema) });
export const deltaSchema = z.object({ text: z.string() });

/** `APICallError.data` of a gateway error: the error envelope. docs/errors.md describes each `reason`. */
export interface SearchgateErrorData {
  /** The one field of the envelope. */
  readonly error: {
    /** The HTTP status; in a stream, the status that the error would have had. */
    readonly code: number;
    readonly type: string;
    /** The stable name of the error, such as `key_limit_reached`: branch on it. */
    readonly reason: string;
    readonly message: string;
    /** The invalid field; `null` if no field is at fault. */
    readonly param: string | null;
    readonly retryable: boolean;
    /** Quote it when asking the operator. */
    readonly request_id: string;
    /** A fixed shape per reason; `null` for reasons without details. Amounts are USD. */
    readonly metadata: Readonly<Record<string, unknown>> | null;
  };
}
