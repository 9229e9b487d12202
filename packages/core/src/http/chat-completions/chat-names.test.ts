import { describe, expect, it } from 'vitest';
import { wireName } from '../wire-name.js';
import { chatNamesCheck } from './chat-names.js';

const check = chatNamesCheck((field) => (field === 'query' ? 'messages' : wireName(field)));

const REFUSED = `
  tools tool_choice functions function_call n modalities audio logprobs top_logprobs logit_bias max_tokens
  max_completion_tokens stop verbosity reasoning_effort moderation plugins web_search_options search_mode
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

it.each([...ON_BY_DEFAULT])('%s that is false turns a feature off, and is refused', (field) => {
  expect(() => check({ [field]: false })).toThrow(expect.objectContaining({ param: field }));
});

describe.each(REFUSED)('%s', (field) => {
  it.each<[unknown]>([[null], [[]], [{}], [''], [ON_BY_DEFAULT.has(field) ? undefined : false]])(
    'that is %j asks for nothing',
    (value) => {
      expect(() => check({ [field]: value })).not.toThrow();
    },
  );

  it.each([[true], [2], ['yes'], [['yes']], [{ type: 'yes' }]])('that is %j is refused', (value) => {
    expect(() => check({ [field]: value })).toThrow(
      // OpenAI's clients show only the message.
      expect.objectContaining({
        reason: 'unsupported_field',
        param: field,
        message: expect.stringContaining(` ${field}`) as string,
      }),
    );
  });
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
  { temperature: 1, top_p: 1, top_k: 1, min_p: 0.1, seed: 7, frequency_penalty: 1, presence_penalty: 1 },
  { parallel_tool_calls: true, prediction: { type: 'content' }, safety_identifier: 'a', prompt_cache_key: 'b' },
  JSON.parse('{"__proto__":{"tools":["yes"]}}') as object,
])('%j asks for nothing special', (body) => {
  expect(() => check(body)).not.toThrow();
});

it.each([
  ['message', 'messages'],
  ['stream_option', 'stream_options'],
  ['steam', 'stream'],
  ['serach', 'search'],
  ['modle', 'model'],
])('%s is recognized as misspelled', (name, meant) => {
  expect(() => check({ [name]: 1 })).toThrow(
    expect.objectContaining({
      reason: 'invalid_field',
      param: name,
      message: expect.stringContaining(`"${meant}"`) as string,
    }),
  );
});
