import type { AnswerReply } from '@searchgate/core/extensions';
import { describe, expect, it } from 'vitest';
import { ChatFormat } from './chat-format.js';

const citations = [{ title: 'Zephyr Bridge opens', url: 'https://example.org/zephyr', snippet: '' }];
const HEAD = { id: 'ans_1', model: 'exa/answer', provider: 'exa' };
const BODY = { fields: { answer: 'It opened in May 2021 [1].', citations }, usage: {} };
const REPLY = { ...HEAD, body: BODY, cost: 1n };
/** What is kept of it for replays. */
const KEPT =
  '{"id":"ans_1","model":"exa/answer","provider":"exa","answer":"It opened in May 2021 [1].",' +
  '"citations":[{"title":"Zephyr Bridge opens","url":"https://example.org/zephyr","snippet":""}],"usage":{"cost":0.000000001}}';

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string; readonly annotations?: unknown } }[];
  readonly citations?: readonly string[];
  readonly usage?: unknown;
}

function chunksOf(parts: readonly string[], includeUsage = false): Chunk[] {
  const format = new ChatFormat({ askedAtMs: 0, includeUsage });
  const stream = [
    format.startEvent(HEAD),
    format.citationsEvent(citations),
    ...parts.map((part) => format.deltaEvent(part)),
    format.doneEvent(REPLY),
  ].join('');
  return eventsIn(stream);
}

function eventsIn(stream: string): Chunk[] {
  const events = stream.split('\n\n').slice(0, -1);
  expect(events.pop()).toBe('data: [DONE]');
  return events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk);
}

const annotationsIn = (chunks: readonly Chunk[]) =>
  chunks.map(({ choices }) => choices[0]?.delta.annotations).filter((annotations) => annotations !== undefined);
const places = (start_index: number, end_index: number) => [[{ url_citation: { start_index, end_index } }]];

describe('ChatFormat', () => {
  it.each<[string, AnswerReply]>([
    ['a new answer', REPLY],
    ['one that is replayed', KEPT],
  ])('prints the cost of %s without an exponent', (_what, reply) => {
    const format = new ChatFormat({ askedAtMs: 0, includeUsage: false });
    expect(format.body(reply)).toMatch(/"usage":\{[^{}]*"cost":0\.000000001\}\}$/);
  });

  it('annotates the content that was streamed', () => {
    expect(annotationsIn(chunksOf(['It opened in', ' May 2021 [1].']))).toMatchObject(places(22, 25));
  });

  it('annotates a content whose markers came too late for the stream', () => {
    expect(annotationsIn(chunksOf(['It opened in', ' May 2021.']))).toMatchObject(places(21, 21));
  });

  it.each([
    ['a chunk of its own, where it is asked for', true, []],
    ['the last chunk of the message otherwise', false, [{ finish_reason: 'stop' }]],
  ])('has usage in %s', (_where, includeUsage, choices) => {
    const chunks = chunksOf(['Yes.'], includeUsage);
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual(chunks.slice(-1));
    expect(chunks.at(-1)).toMatchObject({ choices, usage: { total_tokens: 0, cost: 1e-9 } });
  });

  it('has the sources that are known in the first chunk, and all in the last', () => {
    const urls = citations.map(({ url }) => url);
    const format = new ChatFormat({ askedAtMs: 0, includeUsage: false });
    const late = [format.startEvent(HEAD), format.deltaEvent('Yes.'), format.citationsEvent(citations)];
    const sourcesIn = (chunks: readonly Chunk[]) => chunks.map((chunk) => chunk.citations);
    expect(sourcesIn(chunksOf(['It', ' did [1].']))).toEqual([urls, undefined, undefined, undefined, urls]);
    expect(sourcesIn(eventsIn([...late, format.doneEvent(REPLY)].join('')))).toEqual([
      undefined,
      undefined,
      urls,
      undefined,
      urls,
    ]);
  });

  const PARTS = '"input_tokens_cost":null,"output_tokens_cost":null,"request_cost":null';
  it.each([
    ['number', ',"cost":0.000000001'],
    ['object', `,"cost":{${PARTS},"total_cost":0.000000001}`],
    ['none', ''],
  ] as const)('writes the cost as %s, whole and streamed', (usageCost, cost) => {
    const format = new ChatFormat({ askedAtMs: 0, includeUsage: true, usageCost });
    const usage = `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0${cost}}}`;
    expect(format.body(REPLY).endsWith(usage)).toBe(true);
    expect(format.startEvent(HEAD) + format.doneEvent(REPLY)).toContain(`${usage}\n\ndata: [DONE]`);
  });
});
