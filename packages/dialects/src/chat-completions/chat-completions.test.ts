import { describe, expect, it } from 'vitest';
import { askerOf } from '../../test/asker-of.js';
import { fieldsOf } from '../../test/fields-of.js';
import { chatCompletions } from './chat-completions.js';
import FIELDS from './chat-fields.json' with { type: 'json' };

const QUESTION = { model: 'exa/answer', messages: [{ role: 'user', content: 'When did the Zephyr Bridge open?' }] };
const asker = askerOf({ chatCompletions: chatCompletions() });
const ask = (body: object) => asker({ ...QUESTION, ...body });

// Read from openai 7.57 (2026-11-28).
const ROWS = [...FIELDS.read, ...FIELDS.ignored, ...Object.keys(FIELDS.refused)];

it('every field of the client has a row', () => {
  const fields = fieldsOf('openai/resources/chat/completions/completions', 'ChatCompletionCreateParamsBase');
  expect(fields.filter((field) => !ROWS.includes(field))).toEqual([]);
  expect(fields).toContain('web_search_options');
});

const REFUSED = `
  tools tool_choice functions function_call n modalities audio logprobs top_logprobs logit_bias
  max_output_tokens system_prompt stop verbosity reasoning_effort moderation plugins web_search_options search_mode
  search_domain_filter search_language_filter search_recency_filter search_after_date_filter
  search_before_date_filter last_updated_after_filter last_updated_before_filter return_images
  return_related_questions cache models provider instructions query include_domains max_cost system`
  .trim()
  .split(/\s+/);

/** Features that `false` turns off. */
const ON_BY_DEFAULT = new Set(
  `
    citations includeCitations include_citatons enable_citations include_inline_citations return_citations
    web_search_options models provider cache enable_search`
    .trim()
    .split(/\s+/),
);

it.each([
  [{ usageCost: 'euro' }, 'chatCompletions.usageCost: found "euro", expected "number", "object" or "none".'],
  [{ usage_cost: 'none' }, 'chatCompletions.usage_cost: found an unknown option'],
  [{ instructions: 'drop' }, 'chatCompletions.instructions: found "drop", expected "refuse", "ignore" or "prepend".'],
  [{ maxOutputTokens: 'prepend' }, 'chatCompletions.maxOutputTokens: found "prepend", expected "refuse" or "ignore".'],
])('the options %j are refused', (options, message) => {
  expect(() => chatCompletions(options as object)).toThrow(message);
});

it.each([...ON_BY_DEFAULT])('%s that is false turns a feature off, and is refused', async (field) => {
  expect((await ask({ [field]: false })).error).toMatchObject({ param: field });
});

describe.each(REFUSED)('%s', (field) => {
  it.each<[unknown]>([[null], [[]], [{}], [''], [ON_BY_DEFAULT.has(field) ? undefined : false]])(
    'that is %j asks for nothing',
    async (value) => {
      expect((await ask({ [field]: value })).status).toBe(200);
    },
  );

  // The settings of a web search are refused one by one.
  const settings = field === 'web_search_options' ? [] : [[{ type: 'yes' }]];
  it.each<[unknown]>([[true], [2], ['yes'], [['yes']], ...(settings as [unknown][])])(
    'that is %j is refused',
    async (value) => {
      const { error } = await ask({ [field]: value });
      // OpenAI's clients show only the message.
      const message = expect.stringContaining(` ${field}`) as string;
      expect(error).toMatchObject({ code: 'unsupported_field', param: field, message });
    },
  );
});

it.each([
  { tool_choice: 'none' },
  { function_call: 'auto' },
  { n: 1 },
  { response_format: { type: 'text' } },
  { modalities: ['text'] },
  { top_logprobs: 0 },
  // Fields that OpenAI's clients send by default, and fields that only affect sampling.
  { stream_options: { include_usage: true }, user: 'ada', store: true, metadata: { a: 'b' }, service_tier: 'auto' },
  { temperature: 1, top_p: 1, seed: 7, frequency_penalty: 1, presence_penalty: 1 },
  { parallel_tool_calls: true, prediction: { type: 'content' }, safety_identifier: 'a', prompt_cache_key: 'b' },
])('%j asks for nothing special', async (body) => {
  const { status, event } = await ask(body);
  expect([status, event.ignoredFields]).toEqual([200, 0]);
});

it('takes a schema beside json_object', async () => {
  const { question } = await ask({ response_format: { type: 'json_object', schema: { type: 'object' } } });
  expect(question?.responseFormat).toMatchObject({ name: 'answer', schema: { type: 'object' } });
});

it.each([
  ['message', 'messages'],
  ['stream_option', 'stream_options'],
  ['steam', 'stream'],
  ['serach', 'search'],
  ['modle', 'model'],
])('%s is recognized as misspelled', async (name, meant) => {
  const message = expect.stringContaining(`"${meant}"`) as string;
  expect((await ask({ [name]: 1 })).error).toMatchObject({ code: 'unsupported_field', param: name, message });
});

it.each([
  [{ chat_template: 'a', echo: 1, top_k: 1, temperature: 1, unset: null }, 2],
  [{ ['a'.repeat(100)]: 1 }, 1],
  [JSON.parse('{"__proto__":{"tools":["yes"]}}') as object, 1],
])('%j has fields of no form, which are ignored and counted', async (body, count) => {
  const { status, event } = await ask(body);
  expect([status, event.ignoredFields]).toEqual([200, count]);
});

it('100 unknown names are compared with known names, whatever their values: a body with many names costs no more', async () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`other_${at}`, false]));
  expect((await ask({ ...unknown(99), serach: 1 })).error).toMatchObject({ param: 'serach' });
  const { status, event } = await ask({ ...unknown(100), serach: 1 });
  expect([status, event.ignoredFields]).toEqual([200, 1]);
});
