import { expect, it } from 'vitest';
import { chatCompletions, responses } from '../src/index.js';
import { askerOf } from './asker-of.js';

const MODEL = { model: 'exa/answer' };
const CHAT = { ...MODEL, messages: [{ role: 'user', content: 'When?' }] };
const RESPONSE = { ...MODEL, input: 'When?' };
const chat = askerOf({ chatCompletions: chatCompletions() });
const perplexity = askerOf({ chatCompletions: chatCompletions({ usageCost: 'object' }) });
const response = askerOf({ responses: responses() });

type Json = Readonly<Record<string, unknown>>;
const whole = async (asker: typeof chat, fields: object) => JSON.parse((await asker(fields)).body) as Json;
const events = async (asker: typeof chat, fields: object) =>
  [...(await asker({ ...fields, stream: true })).body.matchAll(/^data: (\{.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as Json,
  );
const usageOf = (reply: Json) => reply['usage'] as Json;
const states = async () =>
  (await events(response, RESPONSE)).flatMap((event) => ('response' in event ? [event['response'] as Json] : []));

const CHAT_RESULT = 'choices:array created:number id:string model:string object:string system_fingerprint:string|null';
// Also all that @openrouter/sdk 1.3.19 requires of `OpenResponsesResult`, where it takes `null` more often.
const OPEN_RESPONSE =
  'id:string object:string created_at:number completed_at:number|null status:string incomplete_details:object|null model:string ' +
  'previous_response_id:string|null instructions:string|null output:array error:object|null tools:array tool_choice:string truncation:string ' +
  'parallel_tool_calls:boolean text:object top_p:number presence_penalty:number frequency_penalty:number top_logprobs:number temperature:number ' +
  'reasoning:object|null user:string|null usage:object|null max_output_tokens:number|null max_tool_calls:number|null store:boolean ' +
  'background:boolean service_tier:string metadata:object safety_identifier:string|null prompt_cache_key:string|null';
const TOKENS =
  'input_tokens:number input_tokens_details:object output_tokens:number output_tokens_details:object total_tokens:number';

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

// The required fields of the clients' schemas, read 2026-11-29.
it.each<[client: string, required: string, replies: () => Promise<readonly Json[]>]>([
  ['@openrouter/sdk 1.3.19, ChatResult', CHAT_RESULT, async () => [await whole(chat, CHAT)]],
  [
    '@openrouter/sdk 1.3.19, ChatStreamChunk',
    'choices:array created:number id:string model:string object:string system_fingerprint:string|undefined usage:object|undefined',
    () => events(chat, { ...CHAT, stream_options: { include_usage: true } }),
  ],
  [
    '@ai-sdk/perplexity 3.0.61 and 4.0.49, usage',
    'prompt_tokens:number completion_tokens:number cost:object',
    async () => [usageOf(await whole(perplexity, CHAT))],
  ],
  [
    '@ai-sdk/perplexity 3.0.61 and 4.0.49, error',
    'code:number message:string type:string reason:string',
    async () => [(await whole(perplexity, { ...CHAT, model: 'exa/none' }))['error'] as Json],
  ],
  ['Open Responses, ResponseResource', OPEN_RESPONSE, async () => [await whole(response, RESPONSE)]],
  ['Open Responses, the events with a response', OPEN_RESPONSE, states],
  ['Open Responses, Usage', TOKENS, async () => [usageOf(await whole(response, RESPONSE))]],
])('%s', async (_client, required, replies) => {
  const all = await replies();
  expect(all.length).toBeGreaterThan(0);
  for (const field of required.split(' ')) {
    const [name = '', kinds = ''] = field.split(':');
    for (const reply of all)
      expect([name, kinds.split('|')]).toEqual([name, expect.arrayContaining([kindOf(reply[name])])]);
  }
});
