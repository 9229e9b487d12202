import { describe, expect, it } from 'vitest';
import { askerOf } from '../../test/asker-of.js';
import { fieldsOf } from '../../test/fields-of.js';
import { responses } from './responses.js';
import FIELDS from './responses-fields.json' with { type: 'json' };

const QUESTION = 'When did the Zephyr Bridge open?';
const asker = askerOf({ responses: responses() });
const ask = (fields: object) => asker({ model: 'exa/answer', input: QUESTION, ...fields });
const read = async (fields: object) => {
  const { error, question } = await ask(fields);
  expect(error).toBeUndefined();
  return question;
};
const tool = (settings: object, type = 'web_search') => ({ tools: [{ type, ...settings }] });
const user = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });
const text = (value: unknown) => ({ type: 'input_text', text: value });

// Read from openai 7.57 (2026-11-28).
const ROWS = [...FIELDS.read, ...FIELDS.ignored, ...Object.keys(FIELDS.refused)];

it('every field of the client has a row', () => {
  const fields = fieldsOf('openai/resources/responses/responses', 'ResponseCreateParamsBase');
  expect(fields.filter((field) => !ROWS.includes(field))).toEqual([]);
  expect(fields).toContain('max_tool_calls');
});

describe('a request for a response', () => {
  it.each([
    ['a text', QUESTION],
    ['a message', [user(QUESTION)]],
    ['an item of the type message', [user(QUESTION, { type: 'message' })]],
    ['text parts', [user([text('When did the'), text('Zephyr Bridge open?')])]],
    ['empty instructions', [{ role: 'system', content: '' }, { role: 'developer', content: [] }, user(QUESTION)]],
  ])('has its question in %s', async (_what, input) => {
    expect((await read({ input }))?.query.replace('\n', ' ')).toBe(QUESTION);
  });

  it.each([
    ['nothing', {}],
    ['what clients send by default', { stream: false, store: false, include: null, text: {}, tools: [], metadata: {} }],
    ['what only samples or labels', { temperature: 0.2, top_p: 1, user: 'ada', metadata: { a: 'b' }, store: true }],
    [
      'what concerns the service',
      { service_tier: 'auto', truncation: 'auto', stream_options: { include_obfuscation: false } },
    ],
    ['what is off', { background: false, previous_response_id: null, instructions: '', conversation: null }],
    ['a plain text', { text: { format: { type: 'text' } }, top_logprobs: 0, parallel_tool_calls: true }],
    ['no encrypted reasoning', { include: ['reasoning.encrypted_content'] }],
    ['a search', { ...tool({}), tool_choice: 'required' }],
    ['a search by choice', { ...tool({}), tool_choice: { type: 'web_search_preview' } }],
    ['a search of a date', tool({ search_context_size: 'medium' }, 'web_search_2025_08_26')],
    ['a search in preview', tool({ user_location: null }, 'web_search_preview_2025_03_11')],
  ])('may ask for %s', async (_what, fields) => {
    const { body, question, event } = await ask(fields);
    expect([question?.query, question?.search, event.ignoredFields]).toEqual([QUESTION, undefined, 0]);
    expect(body).toContain('"type":"url_citation"');
  });

  it('has the messages before the question', async () => {
    const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'In 2021.' }] };
    const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const question = await read({ input: [user(QUESTION), searched, answer, user([text('Who built it?')])] });
    const asked = ['user', QUESTION, 'assistant', 'In 2021.'];
    const earlier = question?.earlier?.flatMap(({ role, content }) => [role, content]);
    expect([question?.query, earlier]).toEqual(['Who built it?', asked]);
  });

  it('has the gateway’s own fields', async () => {
    const { body, event } = await ask({ stream: true, include_citations: false, tag: 'docs' });
    expect([body.includes('response.completed'), body.includes('url_citation'), event.tag]).toEqual([
      true,
      false,
      'docs',
    ]);
    const { error } = await ask({ routing: { max_cost: '0.001' } });
    expect(error).toMatchObject({ code: 'max_cost_exceeded' });
  });
});

const ONLY_TEXTS = 'Leave out of input all but texts of user and assistant, and of system and developer before them.';
const ONLY_SEARCH = 'Leave out of tools all but web_search.';

it.each([
  [{ instructions: 'drop' }, 'responses.instructions: found "drop", expected "refuse", "ignore" or "prepend".'],
  [{ usageCost: 'none' }, 'responses.usageCost: found an unknown option'],
])('the options %j are refused', (options, message) => {
  expect(() => responses(options as object)).toThrow(message);
});

describe('a request for a response is refused for', () => {
  it.each<[object, string, string]>([
    [{ input: [{ type: 'item_reference', id: 'msg_1' }, user('Who?')] }, 'input', ONLY_TEXTS],
    [{ input: [{ type: 'function_call_output', call_id: 'a', output: 'b' }] }, 'input', ONLY_TEXTS],
    [{ input: [user([{ type: 'input_image', image_url: 'data:,' }])] }, 'input', ONLY_TEXTS],
    [{ input: [user([{ type: 'text', text: 'Who?' }])] }, 'input', ONLY_TEXTS],
    [{ tools: [{ type: 'web_search' }, { type: 'function', name: 'now' }] }, 'tools', ONLY_SEARCH],
    [{ tools: [{ type: 'web_search_other' }] }, 'tools', ONLY_SEARCH],
    [{ tools: ['web_search'] }, 'tools', ONLY_SEARCH],
    [{ tools: [{ type: { toString: 1, valueOf: 1 } }] }, 'tools', ONLY_SEARCH],
    [{ tools: [{ type: ['web_search'] }] }, 'tools', ONLY_SEARCH],
    [tool({ external_web_access: false }), 'tools.0.external_web_access', 'Leave out tools.0.external_web_access.'],
    [tool({ user_location: { city: 'Ulm' } }), 'tools.0.user_location.city', 'Leave out tools.0.user_location.city.'],
    [tool({ filters: { constructor: 'a' } }), 'tools.0.filters.constructor', 'Leave out tools.0.filters.constructor.'],
    [{ tool_choice: { type: 'function', name: 'now' } }, 'tool_choice', 'Leave out tool_choice.'],
    [
      { include: ['message.output_text.logprobs'] },
      'include',
      'Leave out of include all but web_search_call.action.sources.',
    ],
    [{ background: true }, 'background', 'Leave out background.'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', 'Leave out previous_response_id.'],
    [{ conversation: 'conv_1' }, 'conversation', 'Leave out conversation.'],
    [{ system: 'Be brief.' }, 'system', 'In place of system, use instructions.'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'In place of prompt, use input.'],
    [{ query: 'Who?' }, 'query', 'In place of query, use input.'],
    [{ inputs: 'Who?' }, 'inputs', 'inputs is no field: did you mean "input"?'],
    [{ messages: [user('Who?')] }, 'messages', 'In place of messages, use input.'],
    [{ max_tokens: 9 }, 'max_tokens', 'In place of max_tokens, use max_output_tokens.'],
    [{ max_tool_calls: 1 }, 'max_tool_calls', 'Leave out max_tool_calls.'],
    [{ reasoning: { effort: 'low' } }, 'reasoning', 'Leave out reasoning.'],
    [{ text: { verbosity: 'low' } }, 'text.verbosity', 'Leave out text.verbosity.'],
    [{ top_logprobs: 2 }, 'top_logprobs', 'Leave out top_logprobs.'],
    [{ moderation: { model: 'omni' } }, 'moderation', 'Leave out moderation.'],
    [{ user_location: { country: 'DE' } }, 'user_location', 'In place of user_location, use search.country.'],
  ])('%j', async (fields, param, note) => {
    const message = expect.stringContaining(note) as string;
    expect((await ask(fields)).error).toMatchObject({ code: 'unsupported_field', param, message });
  });

  const EITHER = 'a string or an array of messages';
  const TURNS = 'must be of user and assistant by turns, of the user first and last';
  it.each([
    [{ input: undefined }, 'input', `is required: ${EITHER}`],
    [{ input: 7 }, 'input', `must be ${EITHER}`],
    [{ input: [] }, 'input', TURNS],
    [{ input: [user('Who?'), user('When?')] }, 'input', TURNS],
    [{ input: ' ' }, 'input', 'must not be empty'],
    [{ input: 'x'.repeat(201) }, 'input', 'must have at most 200 characters'],
    [{ input: [user([text(7)])] }, 'input.0.content.0.text', 'must be a string'],
    [{ input: [user([{ text: 'Who?' }])] }, 'input.0.content.0.type', 'is required: "input_text"'],
    [{ tools: { type: 'web_search' } }, 'tools', 'must be an array of tools'],
    [{ include: 'all' }, 'include', 'must be an array of names'],
    [{ stream: 'yes' }, 'stream', 'must be true or false'],
    [{ text: 7 }, 'text', 'must be an object such as {"format":{"type":"text"}}'],
    [{ text: { format: 'json' } }, 'text.format', 'must be an object such as {"type":"text"}'],
    [{ text: { format: { type: 'json_object' } } }, 'text.format.type', 'must be of type "text" or "json_schema"'],
    [{ text: { format: { type: 'json_schema' } } }, 'text.format.schema', 'is required: a JSON Schema, an object'],
    [{ search: 'new', ...tool({}) }, 'search', 'must be an object of search options'],
    [
      { search: { country: '' }, ...tool({ user_location: { country: 'US' } }) },
      'tools.0.user_location.country',
      'repeats a filter of this request',
    ],
    [
      tool({ filters: { allowed_domains: ['a b'] } }),
      'search.include_domains',
      'must be an array of 1 to 20 host names such as "example.org"',
    ],
    [
      tool({ filters: { allowed_domains: ['a.org'], blocked_domains: ['b.org'] } }),
      'search.exclude_domains',
      'must not be given together with search.include_domains',
    ],
  ])('%j, which is wrong', async (fields, path, message) => {
    const metadata = { issues: [{ path, message }] };
    expect((await ask(fields)).error).toMatchObject({ code: 'invalid_field', param: path, metadata });
  });

  it('fields of a polluted prototype, which are none', async () => {
    const body = JSON.parse('{"__proto__":{"tools":["x"]},"input":"Who?"}') as object;
    expect(await read(body)).toMatchObject({ query: 'Who?' });
  });
});
