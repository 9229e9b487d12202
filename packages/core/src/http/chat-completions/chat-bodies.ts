import { z } from 'zod';
import { SUCCESS_SCHEMAS } from '../success-bodies.js';

// One schema for each body of chat completions. Other files import only types, so that the schemas load only for the OpenAPI document.

export const urlCitation = z.strictObject({
  start_index: z.int().describe('In UTF-16 code units of the content.'),
  end_index: z.int().describe('Exclusive.'),
  url: z.string(),
  title: z.string(),
});
/** The place and the source of one citation marker. */
export type UrlCitation = z.output<typeof urlCitation>;

const annotation = z
  .strictObject({ type: z.literal('url_citation'), url_citation: urlCitation })
  .describe('What one marker in the content means.');
/** The source of one citation marker in the content of a message. */
export type ChatAnnotation = z.output<typeof annotation>;

const message = {
  role: z.literal('assistant'),
  content: z.string(),
  refusal: z.null(),
  annotations: z.array(annotation).optional(),
};
const delta = z.strictObject(message).partial();
/** The part of the message that a chunk adds. */
export type ChatDelta = z.output<typeof delta>;

const usage = z.strictObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  cost: z.number().describe('US dollars: what was charged.'),
});
const sources = {
  citations: z.array(z.string()).optional().describe('The addresses of the sources.'),
  search_results: z.array(SUCCESS_SCHEMAS.Citation).optional(),
};

const completion = z
  .strictObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        message: z.strictObject(message),
        logprobs: z.null(),
        finish_reason: z.literal('stop'),
      }),
    ),
    ...sources,
    usage,
  })
  .describe('An answer as a chat completion.');

const chunk = z
  .strictObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.strictObject({ index: z.int(), delta, logprobs: z.null(), finish_reason: z.literal('stop').nullable() }),
    ),
    ...sources,
    usage: usage.nullable().optional(),
  })
  .describe('A part of a chat completion.');

/** The bodies of a 200, by their names in the OpenAPI document. */
export const CHAT_SCHEMAS = {
  ChatAnnotation: annotation,
  ChatCompletion: completion,
  ChatCompletionChunk: chunk,
};
