import { describe, expect, it } from 'vitest';
import { askerOf } from '../../test/asker-of.js';
import { chatCompletions } from '../chat-completions/chat-completions.js';
import { responses } from '../responses/responses.js';

const chat = askerOf({ chatCompletions: chatCompletions() });
const response = askerOf({ responses: responses() });
const MODEL = { model: 'exa/answer' };

/** Both doors, each with its place of the settings. */
const DOORS = {
  web_search_options: (settings: object, more: object = {}) =>
    chat({ ...MODEL, messages: [{ role: 'user', content: 'When?' }], web_search_options: settings, ...more }),
  'tools.0': (settings: object, more: object = {}) =>
    response({ ...MODEL, input: 'When?', tools: [{ type: 'web_search', ...settings }], ...more }),
};
const LOCATED = { type: 'approximate', approximate: { country: 'de', city: null } };

describe.each(Object.entries(DOORS))('the settings of a web search in %s', (place, ask) => {
  it.each([
    {},
    { search_context_size: 'medium', external_web_access: true },
    { user_location: null, filters: { allowed_domains: [], blocked_domains: null } },
    { user_location: { type: 'approximate' } },
  ])('that are %j ask for nothing special', async (settings) => {
    const { status, question, event } = await ask(settings);
    expect([status, question?.search, event.ignoredFields]).toEqual([200, undefined, 0]);
  });

  it.each([
    [{ user_location: LOCATED }, { country: 'DE' }],
    [{ user_location: { country: 'de' } }, { country: 'DE' }],
    [{ filters: { allowed_domains: ['b.org', 'A.org'] } }, { includeDomains: ['a.org', 'b.org'] }],
    [{ filters: { blocked_domains: ['b.org'] } }, { excludeDomains: ['b.org'] }],
  ])('that are %j filter', async (settings, search) => {
    expect((await ask(settings)).question?.search).toMatchObject(search);
    const both = await ask(settings, { search: { freshness: 'day' } });
    expect(both.question?.search).toMatchObject({ freshness: 'day', ...search });
  });

  it.each([
    [{ search_context_size: 'low' }, 'search_context_size'],
    [{ search_context_size: 'high' }, 'search_context_size'],
    [{ user_location: { approximate: { city: 'Berlin' } } }, 'user_location.approximate.city'],
    [{ user_location: { city: 'Berlin' } }, 'user_location.city'],
    [{ a: { b: { c: { d: 1 } } } }, 'a.b.c'],
  ])('that are %j are refused by their path', async (settings, name) => {
    const path = `${place}.${name}`;
    const message = expect.stringContaining(`Leave out ${path}.`) as string;
    expect((await ask(settings)).error).toMatchObject({ code: 'unsupported_field', param: path, message });
  });

  it('may not repeat a filter', async () => {
    const { error } = await ask({ user_location: LOCATED }, { search: { country: 'US' } });
    expect(error).toMatchObject({ code: 'invalid_field', param: `${place}.user_location.approximate.country` });
  });
});

const SCHEMA = { type: 'object', properties: { year: { type: 'string' } } };
const FORMATS = {
  'chat completions': (format: object) =>
    chat({
      ...MODEL,
      messages: [{ role: 'user', content: 'When?' }],
      response_format: { type: 'json_schema', json_schema: format },
    }),
  responses: (format: object) =>
    response({ ...MODEL, input: 'When?', text: { format: { type: 'json_schema', ...format } } }),
};

it.each(Object.entries(FORMATS))('a form in JSON of %s needs no name, and gets no annotations', async (_form, ask) => {
  for (const [given, name] of [
    [undefined, 'answer'],
    [null, 'answer'],
    ['opening', 'opening'],
  ]) {
    const { question, body } = await ask({ name: given, schema: SCHEMA, strict: true });
    expect(question?.responseFormat).toEqual({ name, schema: SCHEMA, strict: true });
    expect(body).toContain('"annotations":[]');
  }
});
