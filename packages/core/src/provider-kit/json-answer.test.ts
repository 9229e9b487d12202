import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { livePartsIn } from '../../test/live-parts-of.js';
import type { ModelRow } from '../catalog/model-entry.js';
import type { UpstreamRequest } from '../upstream/upstream-client.js';
import { reduceChat } from './chat-completion.js';
import { composeAnswer } from './compose-answer.js';
import { type JsonAnswerOptions, jsonAnswer } from './json-answer.js';
import { bearer } from './json-endpoint.js';

const MODEL: ModelRow = {
  slug: 'mini/answer',
  name: 'Mini',
  description: 'The smallest provider there is.',
  prices: [{ kind: 'flat', request: '0.001', source: 'its own words', asOf: '2026-11-21', confidence: 'high' }],
  features: ['citations', 'streaming'],
  contextLength: null,
  timeoutMs: 1_000,
};
const CONNECTION = { apiKey: 'k1', baseUrl: 'https://api.example.com', headers: {} };
const reply = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });
const MARKERS = [{ start: 4, end: 7, position: 1 }];
const SOURCES = [{ url: 'https://a.example/' }];

function adapter(options: Partial<JsonAnswerOptions<typeof reply>> = {}) {
  return jsonAnswer(CONNECTION, {
    path: '/answer',
    authorize: bearer,
    errors: [],
    reply,
    completeness: 'valid JSON',
    reduce: reduceChat({ sources: ({ citations }) => (citations === undefined ? [] : SOURCES) }),
    streamField: 'stream',
    request: ({ model, query }, isLive) => ({ model: model.slug, query, isLive }),
    outcome: ({ body }, { query }) =>
      composeAnswer({ text: `${body.choices[0].message.content} (${query})`, sources: SOURCES, cost: {} }),
    ...options,
  });
}

const WHOLE = '{"choices":[{"message":{"content":"Yes [1]."}}]}';
const STREAM = [
  'data: {"citations":[1],"choices":[{"delta":{"content":"Yes [1]"}}]}\n\n',
  'data: {"choices":[{"delta":{"content":"."},"finish_reason":"stop"}]}\n\n',
  'data: [DONE]\n\n',
];

const streamed = (options?: Partial<JsonAnswerOptions<typeof reply>>) =>
  livePartsIn(
    { id: 'mini', name: 'Mini', models: [MODEL], answer: adapter(options) },
    { model: MODEL.slug, chunks: STREAM },
  );

/** What the adapter sends when it is asked for a whole answer. */
async function askedWhole(text: string, options?: Partial<JsonAnswerOptions<typeof reply>>) {
  const requests: UpstreamRequest[] = [];
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      return Promise.resolve({ status: 200, header: () => undefined, text });
    },
  };
  const context = { upstream, signal: new AbortController().signal };
  const outcome = await adapter(options).answer({ model: MODEL, query: 'Open?' }, context);
  return { outcome, requests };
}

describe('an adapter of one address', () => {
  it('answers by one plain request', async () => {
    const { outcome, requests } = await askedWhole(WHOLE);
    expect(outcome).toEqual({ text: 'Yes [1]. (Open?)', markers: MARKERS, citations: SOURCES, cost: {} });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: new URL('https://api.example.com/answer'),
        headers: { authorization: 'Bearer k1' },
        json: { model: 'mini/answer', query: 'Open?', isLive: false, stream: false },
      },
    ]);
  });

  it('hands over sources and text of a stream, and returns the same outcome', async () => {
    const { text, citations, outcome } = await streamed();
    expect({ text, citations }).toEqual({ text: 'Yes [1].', citations: SOURCES });
    expect(outcome).toEqual({ text: 'Yes [1]. (Is it open?)', markers: MARKERS, citations: SOURCES, cost: {} });
  });

  it('delivers nothing without the evidence, even if the adapter does not check', async () => {
    const completeness = () => 'unproven' as const;
    await expect(askedWhole(WHOLE, { completeness })).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
      detail: 'the reply does not say that the answer is complete',
    });
  });

  it('asks for no stream when it cannot read one', async () => {
    const { requests } = await askedWhole(WHOLE, { reduce: undefined });
    expect(requests[0]?.json).toMatchObject({ stream: false });
    const { outcome } = await livePartsIn(
      { id: 'mini', name: 'Mini', models: [MODEL], answer: adapter({ reduce: undefined }) },
      { model: MODEL.slug, chunks: [WHOLE] },
    );
    expect(outcome?.text).toBe('Yes [1]. (Is it open?)');
  });

  it('reads every reply as a stream when no field asks for a stream', async () => {
    const { outcome, requests } = await askedWhole(STREAM.join(''), { streamField: undefined });
    expect(outcome.text).toBe('Yes [1]. (Open?)');
    expect(requests[0]).toMatchObject({
      headers: { accept: 'text/event-stream', authorization: 'Bearer k1' },
      json: { model: 'mini/answer', query: 'Open?', isLive: false },
    });
    expect(requests[0]?.json).not.toHaveProperty('stream');
  });
});
