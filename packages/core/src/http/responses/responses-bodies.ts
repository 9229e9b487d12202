import { z } from 'zod';
import { urlCitation } from '../chat-completions/chat-bodies.js';

// One schema for each body of responses, for the OpenAPI document alone. Fields that say nothing, but that OpenAI's types require, are left open.

const item = { id: z.string(), status: z.enum(['in_progress', 'completed']) };
const search = z.strictObject({
  ...item,
  type: z.literal('web_search_call'),
  action: z.strictObject({
    type: z.literal('search'),
    sources: z.array(z.strictObject({ type: z.literal('url'), url: z.string() })).optional(),
  }),
});
const annotations = z.array(urlCitation.extend({ type: z.literal('url_citation') }));
const part = z.strictObject({ type: z.literal('output_text'), text: z.string(), annotations });
const message = z.strictObject({
  ...item,
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(part),
});
const response = z
  .looseObject({
    ...item,
    object: z.literal('response'),
    created_at: z.int(),
    model: z.string(),
    output: z.array(z.union([search, message])),
    usage: z
      .looseObject({ total_tokens: z.int(), cost: z.number().describe('US dollars: what was charged.') })
      .optional(),
  })
  .describe('An answer as a response: a search, and the message that it led to.');
const event = z
  .looseObject({ type: z.string(), sequence_number: z.int().min(0), response: response.optional() })
  .describe("Data of an event of a stream, with the fields of OpenAI's event of this type.");

/** The bodies of a 200, by their names in the OpenAPI document. */
export const RESPONSES_SCHEMAS = { Response: response, ResponseEventData: event };
