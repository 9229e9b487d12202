import assert from 'node:assert/strict';
import { chatRequest } from '../chat-form.js';
import {
  ANSWERED,
  ask,
  badRequest,
  type CaseRequest,
  type Expectation,
  type HttpCase,
  refused,
  row,
} from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import { OUT_OF_TURN } from './conversation.js';
import { after, named, replayed } from './named-call.js';

const askChat = (fields: Readonly<Record<string, unknown>> = {}, request: Partial<CaseRequest> = {}) =>
  chatRequest(ask(fields, request));

const ADDRESSES = '"citations":["https://example.org/zephyr","https://news.example.com/a?b=1"]';
const SOURCES =
  `${ADDRESSES},"search_results":[{"title":"Zephyr Bridge opens","url":"https://example.org/zephyr","snippet":"Opened on 14 May…"},` +
  '{"title":"news.example.com","url":"https://news.example.com/a?b=1","snippet":""}]';
const ANNOTATIONS =
  '"annotations":[{"type":"url_citation","url_citation":{"start_index":22,"end_index":25,"url":"https://example.org/zephyr","title":"Zephyr Bridge opens"}},' +
  '{"type":"url_citation","url_citation":{"start_index":25,"end_index":28,"url":"https://news.example.com/a?b=1","title":"news.example.com"}}]';
const USAGE = '"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"cost":0.005}';

/** The same answer as {@link ANSWERED}. */
const COMPLETED: Expectation = {
  ...ANSWERED,
  body:
    '{"id":"<id>","object":"chat.completion","created":"<created>","model":"stub/flat","choices":[{"index":0,"message":{"role":"assistant",' +
    `"content":"It opened in May 2021 [1][2].","refusal":null,${ANNOTATIONS}},"logprobs":null,"finish_reason":"stop"}],` +
    `"system_fingerprint":null,${SOURCES},${USAGE}}`,
};

const head = '"id":"<id>","object":"chat.completion.chunk","created":"<created>","model":"stub/streamed"';
const chunk = (delta: string, { sources = '', finish = 'null' } = {}) =>
  `data: {${head},"choices":[{"index":0,"delta":{${delta}},"logprobs":null,"finish_reason":${finish}}]${sources}}\n\n`;

/** The clock of the kit starts at 2026-01-01T00:00:00Z. */
const CREATED = 1_767_225_600;

const FORM_CASES: readonly HttpCase[] = [
  row('answers with a chat completion', askChat(), {
    ...COMPLETED,
    event: { endpoint: 'chat_completions', requestedModel: 'stub/flat', attempts: 1 },
  }),
  row('says when a chat completion was asked for, in seconds', askChat(), {
    status: 200,
    charge: { amount: '0.005', model: 'stub/flat' },
    verify: ({ body }) => {
      assert.equal((JSON.parse(Buffer.from(body).toString()) as { created: number }).created, CREATED);
    },
  }),
  {
    name: 'streams a chat completion in chunks, and its usage where it is asked for',
    request: askChat({ model: 'stub/streamed', stream: true, stream_options: { include_usage: true } }),
    expect: {
      status: 200,
      streamed: true,
      body: [
        chunk('"role":"assistant","content":"","refusal":null', { sources: `,${SOURCES}` }),
        chunk('"content":"It opened in"'),
        chunk('"content":" May 2021 [1][2]."'),
        chunk(ANNOTATIONS),
        chunk('', { sources: `,${SOURCES}`, finish: '"stop"' }),
        `data: {${head},"choices":[],${USAGE}}\n\n`,
        'data: [DONE]\n\n',
      ].join(''),
      charge: { amount: '0.005', model: 'stub/streamed' },
    },
  },
  {
    name: 'gives a chat completion whole whatever the options of a stream',
    request: askChat({ stream: false, stream_options: { include_usage: true } }),
    expect: COMPLETED,
  },
  {
    name: 'leaves the path to the host where chat completions are not asked for',
    request: askChat(),
    gateway: () => ({ endpoints: {} }),
    expect: { status: 404, by: 'host' },
  },
];

const REPLAY_CASES: readonly HttpCase[] = [
  replayed(row('replays a chat completion to the last byte, and charges once', askChat(), COMPLETED)),
  replayed({
    name: 'replays an error that will not pass in OpenAI’s form',
    request: askChat({ query: QUERIES.fail('upstream_rejected') }),
    expect: { status: 502, event: { reason: 'upstream_rejected', attempts: 1 } },
  }),
  {
    ...row('replays as an answer what was a chat completion', ask(), {
      status: 200,
      body: ANSWERED.body ?? '',
      headers: { 'idempotent-replayed': 'true' },
      event: { replayed: true, cost: null },
    }),
    before: after(askChat()),
  },
  {
    ...row('replays as a chat completion what was an answer', askChat(), {
      status: 200,
      body: COMPLETED.body ?? '',
      headers: { 'idempotent-replayed': 'true' },
      event: { replayed: true, cost: null },
    }),
    before: after(ask()),
  },
  {
    name: 'refuses another question under the Idempotency-Key of an answer',
    request: named(askChat({ query: 'When did it close?' })),
    before: after(ask()),
    expect: refused(422, { type: 'conflict_error', reason: 'idempotency_key_reused' }),
  },
];

const user = (content: unknown) => ({ role: 'user', content });
const text = (value: unknown) => ({ type: 'text', text: value });
/** A chat completion with changed messages or fields. */
const chatWith = (fields: object): CaseRequest => {
  const request = askChat();
  return { ...request, json: { ...(request.json as object), ...fields } };
};

function wrong(path: string, fields: object, message: string): HttpCase {
  return {
    name: `refuses a chat completion with ${JSON.stringify(fields).slice(0, 60)}`,
    request: chatWith(fields),
    expect: badRequest('invalid_field', { param: path, metadata: { issues: [{ path, message }] } }),
  };
}

const TEXTS = 'Leave out of messages all but texts of user and assistant, and of system and developer before them.';

function unsupported(field: string, value: unknown, place?: string): HttpCase {
  const otherwise = field === 'messages' ? TEXTS : `Leave out ${field}.`;
  const note = place === undefined ? otherwise : `In place of ${field}, use ${place}.`;
  return {
    name: `cannot do ${field}: ${JSON.stringify(value).slice(0, 60)} of a chat completion`,
    request: chatWith({ [field]: value }),
    expect: badRequest('unsupported_field', { param: field, note }),
  };
}

function harmless(what: string, fields: object): HttpCase {
  return { name: `takes a chat completion with ${what}`, request: chatWith(fields), expect: COMPLETED };
}

const MESSAGES = 'an array of messages';
const ROLES = '"user", "assistant", "system" or "developer"';
const CONTENT = 'a string or an array of text parts';

const MESSAGE_CASES: readonly HttpCase[] = [
  wrong('messages', { messages: undefined }, `is required: ${MESSAGES}`),
  wrong('messages', { messages: 'When did it open?' }, `must be ${MESSAGES}`),
  wrong('messages', { messages: [] }, OUT_OF_TURN),
  wrong('messages', { messages: [user(' \n')] }, 'must not be empty'),
  wrong('messages', { messages: [user('x'.repeat(8_001))] }, 'must have at most 8000 characters'),
  wrong('messages.0', { messages: ['When did it open?'] }, 'must be an object with role and content'),
  wrong('messages.0.role', { messages: [{ content: 'When?' }] }, `is required: ${ROLES}`),
  wrong('messages.0.role', { messages: [{ role: 'person', content: 'When?' }] }, `must be ${ROLES}`),
  wrong('messages.0.content', { messages: [{ role: 'user' }] }, `is required: ${CONTENT}`),
  wrong('messages.0.content', { messages: [user(null)] }, `must be ${CONTENT}`),
  wrong('messages.0.content.0.type', { messages: [user([{ text: 'When?' }])] }, 'is required: "text"'),
  wrong('messages.0.content.1.text', { messages: [user([text('When?'), text(7)])] }, 'must be a string'),
  ...['system', 'developer', 'tool', 'function'].map((role) =>
    unsupported('messages', [user('When did it open?'), { role, content: 'Be brief.' }]),
  ),
  wrong('messages', { messages: [user('When did it open?'), user('And where?')] }, OUT_OF_TURN),
  unsupported('messages', [user([text('What is it?'), { type: 'image_url', image_url: { url: 'data:,' } }])]),
  unsupported('messages', [user([{ type: 'input_audio', input_audio: {} }])]),
  harmless('an array of text parts', { messages: [user([text('When did'), text('it open?')])] }),
  harmless('instructions that are empty', {
    messages: [{ role: 'system', content: '' }, { role: 'developer', content: [] }, user('When did it open?')],
  }),
  harmless('a name of the user', { messages: [{ ...user('When did it open?'), name: 'ada' }] }),
  {
    name: 'joins the text parts of a chat completion by line feeds, and changes nothing else',
    request: chatWith({ messages: [user([text('  echo \u2708 '), text('')])], include_citations: false }),
    expect: {
      status: 200,
      charge: { amount: '0.005', model: 'stub/flat' },
      verify: ({ body }) => {
        const { choices } = JSON.parse(Buffer.from(body).toString()) as { choices: [{ message: { content: string } }] };
        assert.equal(choices[0].message.content, JSON.stringify(QUERIES.echo));
      },
    },
  },
];

const FIELD_CASES: readonly HttpCase[] = [
  wrong('model', { model: 7 }, 'must be a string such as "exa/answer"'),
  wrong('stream', { stream: 'yes' }, 'must be true or false'),
  wrong('stream_options', { stream_options: true }, 'must be an object'),
  wrong('stream_options.include_usage', { stream_options: { include_usage: 1 } }, 'must be true or false'),
  wrong('include_citations', { include_citations: 'no' }, 'must be true or false'),
  wrong('search.pages', { search: { pages: 3 } }, 'is no search option'),
  unsupported('return_citations', false, 'include_citations'),
  unsupported('SEARCH-DOMAIN-FILTER', ['example.org'], 'search.include_domains'),
  unsupported('tools', [{ type: 'function', function: { name: 'now' } }]),
  wrong(
    'response_format.type',
    { response_format: { type: 'json_object' } },
    'must be of type "text" or "json_schema"',
  ),
  unsupported('web_search_options', true, 'search'),
  unsupported('instructions', 'Be brief.', 'messages'),
  unsupported('max_output_tokens', 500, 'max_tokens'),
  wrong('max_completion_tokens', { max_completion_tokens: 0 }, 'must be a whole number from 1 on'),
  unsupported('query', 'When did it open?', 'messages'),
  {
    name: 'names the search option that the model of a chat completion cannot honor',
    request: askChat({ search: { freshness: 'week' } }),
    expect: badRequest('unsupported_option', {
      param: 'search.freshness',
      metadata: { options: ['freshness'], models: [] },
    }),
  },
  {
    name: 'keeps a chat completion below its max_cost',
    request: askChat({ routing: { max_cost: '0.0049', fallbacks: [] } }),
    expect: badRequest('max_cost_exceeded', {
      param: 'routing.max_cost',
      metadata: { max_cost: 0.0049, cheapest: { model: 'stub/flat', required: 0.005 } },
    }),
  },
];

/** `POST /chat/completions`: rows specific to its form. Rows shared with `POST /answer` run through both. */
export const CHAT_CASES: readonly HttpCase[] = [...FORM_CASES, ...REPLAY_CASES, ...MESSAGE_CASES, ...FIELD_CASES];
