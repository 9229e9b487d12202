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
const states = async (fields: object = {}) =>
  (await events(response, { ...RESPONSE, ...fields })).flatMap((event) =>
    'response' in event ? [event['response'] as Json] : [],
  );

const CHAT_RESULT = 'choices:array created:number id:string model:string object:string system_fingerprint:string|null';
// Also all that @openrouter/sdk 1.3.19 requires of `OpenResponsesResult`, where it takes `null` more often.
const OPEN_RESPONSE =
  'id:string object:string created_at:number completed_at:number|null status:string incomplete_details:object|null model:string ' +
  'previous_response_id:string|null instructions:string|null output:array error:object|null tools:array tool_choice:string truncation:string ' +
  'parallel_tool_calls:boolean text:object top_p:number presence_penalty:number frequency_penalty:number top_logprobs:number temperature:number ' +
  'reasoning:object|null user:string|null usage:object|null max_output_tokens:number|null max_tool_calls:number|null store:boolean ' +
  'background:boolean service_tier:string metadata:object safety_identifier:string|null prompt_cache_key:string|null';
const item = (role: string, content: unknown) => ({ type: 'message', role, content });
/** What its compliance suite asks for in the templates that need no tools, no state and no pictures (read 2026-11-29), and limited answers. */
const TEMPLATES = {
  'a basic and a streamed response': { input: [item('user', 'Say hello.')] },
  'a system prompt': { input: [item('system', 'Be a pirate.'), item('user', 'Say hello.')] },
  'several turns': {
    input: [item('user', 'I am Ada.'), item('assistant', 'Hello Ada!'), item('user', 'Who am I?')],
  },
  'an answer that is cut': { max_output_tokens: 1, tools: [{ type: 'web_search' }] },
};
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
  ...Object.entries(TEMPLATES).map(([name, fields]): [string, string, () => Promise<readonly Json[]>] => [
    `Open Responses, ${name}`,
    OPEN_RESPONSE,
    async () => [await whole(response, { ...RESPONSE, ...fields }), ...(await states(fields))],
  ]),
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

// The required fields of the events in Open Responses' schema, read 2026-11-29.
const IN_ITEM = 'item_id:string output_index:number';
const IN_PART = `${IN_ITEM} content_index:number`;
const EVENTS: Readonly<Record<string, string>> = {
  created: 'response:object',
  in_progress: 'response:object',
  'output_item.added': 'output_index:number item:object',
  'web_search_call.in_progress': IN_ITEM,
  'web_search_call.searching': IN_ITEM,
  'web_search_call.completed': IN_ITEM,
  'content_part.added': `${IN_PART} part:object`,
  'output_text.delta': `${IN_PART} delta:string`,
  'output_text.annotation.added': `${IN_PART} annotation_index:number annotation:object`,
  'output_text.done': `${IN_PART} text:string`,
  'content_part.done': `${IN_PART} part:object`,
  'output_item.done': 'output_index:number item:object',
  completed: 'response:object',
  incomplete: 'response:object',
};
const isNew = (type: unknown, at: number, all: readonly unknown[]) => type !== all[at - 1];

it.each([
  ['completed', {}],
  ['incomplete', { max_output_tokens: 1 }],
])('the events of Open Responses, %s, have their fields and their order', async (last, fields) => {
  const all = await events(response, { ...RESPONSE, tools: [{ type: 'web_search' }], ...fields });
  const types = all.map(({ type }) => String(type).replace(/^response\./, ''));
  for (const [at, event] of all.entries()) {
    expect(event['sequence_number']).toBe(at);
    for (const field of EVENTS[types[at] ?? '']?.split(' ') ?? ['unknown:event']) {
      const [name = '', kind] = field.split(':');
      expect([types[at], name, kindOf(event[name])]).toEqual([types[at], name, kind]);
    }
  }
  const order = Object.keys(EVENTS).filter(
    (type) => !/^(?:in)?complete/.test(type) && !type.startsWith('output_item.added'),
  );
  const opened = types.filter((type) => type !== 'output_item.added').filter(isNew);
  const annotated = last === 'completed' ? order : order.filter((type) => !type.includes('annotation'));
  expect(opened).toEqual([...annotated, last]);
  expect(types.filter((type) => type === 'output_item.added')).toHaveLength(2);
});

it.each([
  [{ tools: [{ type: 'function', name: 'get_weather', parameters: {} }] }, 'tools'],
  [{ input: [item('user', [{ type: 'input_image', image_url: 'data:image/png;base64,' }])] }, 'input'],
  [{ input: [item('user', [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:,' }])] }, 'input'],
  [{ input: [{ type: 'function_call_output', call_id: 'call_1', output: '15' }] }, 'input'],
  [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ tools: [{ type: 'web_search', external_web_access: false }] }, 'tools.0.external_web_access'],
])('what the other templates of Open Responses ask for is refused by name: %j', async (fields, param) => {
  const { error } = await response({ ...RESPONSE, ...fields });
  expect(error).toMatchObject({ code: 'unsupported_field', param });
});
