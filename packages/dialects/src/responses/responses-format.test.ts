import type { AnswerReply } from '@searchgate/core/extensions';
import { describe, expect, it } from 'vitest';
import { ResponsesFormat } from './responses-format.js';

const citations = [
  { title: 'Zephyr Bridge opens', url: 'https://example.org/zephyr', snippet: '' },
  { title: 'News', url: 'https://news.example.com/', snippet: 'Unused.' },
];
const ULID = '01KAJ3W5V0N2Q8R6T4Y7Z9B1CD';
const HEAD = { id: `ans_${ULID}`, model: 'exa/answer', provider: 'exa' };
const FIELDS = { answer: 'It opened in May 2021 [1].', citations };
const REPLY = { ...HEAD, body: { fields: FIELDS, usage: {} }, cost: 1n };
/** What is kept of it for replays. */
const KEPT = JSON.stringify({ ...HEAD, ...FIELDS, usage: { cost: 0.000_000_001 } });

const ANNOTATION =
  '{"type":"url_citation","start_index":22,"end_index":25,"url":"https://example.org/zephyr","title":"Zephyr Bridge opens"}';
const PART = `{"type":"output_text","text":"It opened in May 2021 [1].","annotations":[${ANNOTATION}],"logprobs":[]}`;
const MESSAGE = `{"id":"msg_${ULID}","type":"message","role":"assistant","status":"completed","content":[${PART}]}`;
const SEARCH = `{"id":"ws_${ULID}","type":"web_search_call","status":"completed","action":{"type":"search"}}`;
const state = (status: string, output: string) =>
  `{"id":"ans_${ULID}","object":"response","created_at":1763692124,"status":"${status}","model":"exa/answer","output":[${output}],` +
  '"text":{"format":{"type":"text"}},"access_programs":null,"completed_at":null,"error":null,"incomplete_details":null,"instructions":null,' +
  '"max_output_tokens":null,"max_tool_calls":null,"metadata":{},"previous_response_id":null,"prompt_cache_key":null,"reasoning":null,' +
  '"safety_identifier":null,"user":null,"background":false,"frequency_penalty":0,"parallel_tool_calls":false,"presence_penalty":0,' +
  '"service_tier":"default","store":false,"temperature":1,"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1,"truncation":"disabled"';
const RESPONSE =
  `${state('completed', `${SEARCH},${MESSAGE}`)},"usage":{"input_tokens":0,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},` +
  '"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":0,"cost":0.000000001}}';

const formatOf = (includeSources = false, hasSearch = true) =>
  new ResponsesFormat({ askedAtMs: 0, hasSearch, includeSources });

interface Streamed {
  readonly includeSources?: boolean;
  readonly hasSearch?: boolean;
  readonly reply?: AnswerReply;
}

function streamOf(
  parts: readonly string[],
  { includeSources = false, hasSearch = true, reply = REPLY }: Streamed = {},
): string {
  const format = formatOf(includeSources, hasSearch);
  const deltas = parts.map((part) => format.deltaEvent.bind(format, part));
  return [
    format.startEvent(HEAD),
    format.citationsEvent(),
    ...deltas.map((next) => next()),
    format.doneEvent(reply),
  ].join('');
}

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly annotation?: { readonly start_index: number; readonly end_index: number };
  readonly item?: { readonly type: string; readonly action?: { readonly sources?: unknown } };
  readonly response?: { readonly output: readonly unknown[] };
}

const eventsOf = (stream: string) =>
  stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => JSON.parse(event.replace(/^event: .*\ndata: /, '')) as Event);

const WHOLE = ['It opened in', ' May 2021 [1].'];

describe('ResponsesFormat', () => {
  it.each<[string, AnswerReply]>([
    ['a new answer', REPLY],
    ['one that is replayed', KEPT],
  ])('writes %s', (_what, reply) => {
    expect(formatOf().body(reply)).toBe(RESPONSE);
  });

  it('says what a check of the citations found, whole and at the end of a stream', () => {
    const grounding = { sentences: 9, supported: 4, unsupported: 2, removed: 3 };
    const reply = { ...REPLY, body: { fields: { ...FIELDS, grounding }, usage: {} } };
    const [last, ...earlier] = eventsOf(streamOf(WHOLE, { reply })).reverse();
    for (const response of [JSON.parse(formatOf().body(reply)) as object, last?.response])
      expect(response).toMatchObject({ grounding });
    expect(earlier.map(({ response }) => response).filter(Boolean)).toHaveLength(2);
  });

  it('writes the events of a stream, each with its name and number', () => {
    const started = `{"response":${state('in_progress', '')},"usage":null}}`;
    const place = `"item_id":"msg_${ULID}","output_index":1,"content_index":0`;
    const search = SEARCH.replace('completed', 'in_progress');
    const message = `{"id":"msg_${ULID}","type":"message","role":"assistant","status":"in_progress","content":[]}`;
    const events = [
      ['response.created', started],
      ['response.in_progress', started],
      ['response.output_item.added', `{"output_index":0,"item":${search}}`],
      ...['in_progress', 'searching', 'completed'].map((status) => [
        `response.web_search_call.${status}`,
        `{"output_index":0,"item_id":"ws_${ULID}"}`,
      ]),
      ['response.output_item.added', `{"output_index":1,"item":${message}}`],
      [
        'response.content_part.added',
        `{${place},"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}`,
      ],
      ['response.output_text.delta', `{${place},"delta":"It opened in","logprobs":[]}`],
      ['response.output_text.delta', `{${place},"delta":" May 2021 [1].","logprobs":[]}`],
      ['response.output_text.annotation.added', `{${place},"annotation_index":0,"annotation":${ANNOTATION}}`],
      ['response.output_text.done', `{${place},"text":"It opened in May 2021 [1].","logprobs":[]}`],
      ['response.content_part.done', `{${place},"part":${PART}}`],
      ['response.output_item.done', `{"output_index":0,"item":${SEARCH}}`],
      ['response.output_item.done', `{"output_index":1,"item":${MESSAGE}}`],
      ['response.completed', `{"response":${RESPONSE}}`],
    ];
    const expected = events.map(
      ([type, data = ''], index) =>
        `event: ${type}\ndata: {"type":"${type}","sequence_number":${index},${data.slice(1)}\n\n`,
    );
    expect(streamOf(WHOLE)).toBe(expected.join(''));
    expect(streamOf(WHOLE, { reply: KEPT })).toBe(expected.join(''));
  });

  it('lists every source of the search on request, when all are known', () => {
    const sources = citations.map(({ url }) => ({ type: 'url', url }));
    const body = JSON.parse(formatOf(true).body(REPLY)) as { output: unknown[] };
    expect(body.output[0]).toMatchObject({ action: { type: 'search', sources } });
    const events = eventsOf(streamOf(WHOLE, { includeSources: true }));
    const lists = events.flatMap(({ type, item }) => (type.endsWith('item.done') ? (item?.action?.sources ?? []) : []));
    expect(lists).toEqual(sources);
    expect(events.at(-1)?.response?.output[0]).toMatchObject({ action: { sources } });
  });

  it('has no search that the request did not declare, whole and streamed', () => {
    expect(formatOf(true, false).body(REPLY)).toBe(RESPONSE.replace(`${SEARCH},`, ''));
    const stream = streamOf(WHOLE, { includeSources: true, hasSearch: false });
    expect(stream).not.toMatch(/web_search_call|"output_index":1/);
    expect(eventsOf(stream).map((event) => event.sequence_number)).toEqual(eventsOf(stream).map((_, at) => at));
  });

  it('annotates the text that was streamed, where markers came too late for the stream', () => {
    const events = eventsOf(streamOf(['It opened in', ' May 2021.']));
    const annotations = events.flatMap(({ annotation }) => annotation ?? []);
    expect(annotations).toMatchObject([{ start_index: 21, end_index: 21 }]);
    expect(events.at(-1)?.response?.output[1]).toMatchObject({
      content: [{ text: 'It opened in May 2021.', annotations }],
    });
  });

  it('has no annotations without citations, and none of JSON', () => {
    const reply = { ...REPLY, body: { fields: { answer: 'It opened [1].' }, usage: {} } };
    expect(formatOf().body(reply)).toContain('"text":"It opened [1].","annotations":[]');
    expect(streamOf(['It opened [1].'], { reply })).not.toContain('annotation.added');
    const json = new ResponsesFormat({
      askedAtMs: 0,
      hasSearch: false,
      includeSources: false,
      text: { type: 'json_schema' },
    });
    expect(json.body(REPLY)).toContain('"annotations":[]');
  });

  it('ends a stream that fails with OpenAI’s flat fields and the whole error', () => {
    const format = formatOf();
    format.startEvent(HEAD);
    const error = { message: 'It failed.', type: 'upstream_error', param: null, code: 'upstream_error', status: 502 };
    expect(format.errorEvent(JSON.stringify({ error }))).toBe(
      'event: error\ndata: {"type":"error","sequence_number":8,"code":"upstream_error","message":"It failed.","param":null,' +
        `"error":${JSON.stringify(error)}}\n\n`,
    );
  });
});
