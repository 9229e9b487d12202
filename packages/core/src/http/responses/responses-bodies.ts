import { z } from 'zod';
import { urlCitation } from '../chat-completions/chat-bodies.js';

// The bodies of responses, for the OpenAPI document alone. Open, because OpenAI's types require many fields that say nothing here.

const status = z.enum(['in_progress', 'completed']);
const annotations = z.array(urlCitation.extend({ type: z.literal('url_citation') }));
const content = z.array(z.strictObject({ type: z.literal('output_text'), text: z.string(), annotations }));
const item = z.looseObject({ id: z.string(), type: z.string(), status, content: content.optional() });
const usage = z.looseObject({ total_tokens: z.int(), cost: z.number().describe('US dollars: what was charged.') });

const response = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int(),
    status,
    model: z.string(),
    output: z.array(item),
    usage: usage.optional(),
  })
  .describe('An answer as a response: a search, and the message that it led to.');

const event = z
  .looseObject({ type: z.string(), sequence_number: z.int(), response: response.optional(), item: item.optional() })
  .describe("Data of an event of a stream, with the fields of OpenAI's event of this type.");

/** The bodies of a 200, by their names in the OpenAPI document. */
export const RESPONSES_SCHEMAS = { Response: response, ResponseEventData: event };
