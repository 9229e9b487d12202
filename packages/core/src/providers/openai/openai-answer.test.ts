import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { openai } from './openai-provider.js';

const MODEL = 'openai/gpt-6.2-sol';
const fixture = fixturesIn(import.meta.dirname);
const STREAM = streamsIn(import.meta.dirname)('answer-stream');
const EVENTS = STREAM.split(/(?<=\n\n)/);
const provider = openai({ apiKey: 'k' });
const create = (baseUrl: string) => openai({ apiKey: 'k', baseUrl });

/** As OpenAI's OpenAPI document of 2026-08-21 has it. */
const ERROR_EVENT =
  'event: error\ndata: {"type":"error","code":"server_error","message":"The server had an error.","param":null,"sequence_number":20}\n\n';
const ERROR = { reason: 'upstream_error' };

describe('a streamed answer of openai', () => {
  it('comes word by word, with the outcome of the answer that is asked for whole', async () => {
    const whole = await askOnce(provider, MODEL, fixture('answer'));
    const { parts, text, citations, outcome, requests } = await livePartsOf({ create, model: MODEL, chunks: EVENTS });
    expect(outcome).toEqual(whole.outcome);
    expect(parts.length).toBeGreaterThan(8);
    expect(outcome?.text.slice(0, text.length)).toBe(text);
    expect(citations.map(({ url }) => url)).toEqual(outcome?.citations.map(({ url }) => url));
    expect(requests).toMatchObject([
      { path: '/responses', headers: { authorization: 'Bearer k', accept: 'text/event-stream' } },
    ]);
    expect(requests[0]?.body).toEqual({ ...(whole.request.json as object), stream: true });
  });

  it('is the same wherever its bytes are cut', async () => {
    const bytes = Buffer.from(STREAM.replaceAll('Zephyr Bridge', 'Zephyr 大橋 🌉'));
    const expected = await livePartsIn(provider, { model: MODEL, chunks: [bytes] });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const { text, outcome, citations } = await livePartsIn(provider, { model: MODEL, chunks });
        expect({ text, outcome, citations }).toEqual({
          text: expected.text,
          outcome: expected.outcome,
          citations: expected.citations,
        });
      }),
    );
  });

  it('fails when it breaks off or its last event is missing', async () => {
    const broken = { reason: 'upstream_invalid_response', phase: 'body' };
    const last = EVENTS.findIndex((event) => event.includes('"response.completed"'));
    const cut = await livePartsOf({ create, model: MODEL, chunks: EVENTS.slice(0, last), isCut: true });
    expect(cut.error).toMatchObject(broken);
    expect(cut.text).not.toBe('');
    expect((await livePartsIn(provider, { model: MODEL, chunks: EVENTS.slice(0, last) })).error).toMatchObject(broken);
  });

  it('ends with an error that comes in the middle', async () => {
    const begun = EVENTS.slice(0, EVENTS.findLastIndex((event) => event.includes('output_text.delta')) - 2);
    const chunks = [...begun, ERROR_EVENT, ...EVENTS.slice(begun.length)];
    const shown = await livePartsIn(provider, { model: MODEL, chunks: begun });
    const { text, error } = await livePartsIn(provider, { model: MODEL, chunks });
    expect(text).toBe(shown.text);
    expect(error).toMatchObject(ERROR);
  });

  it('ends with a run that failed as the whole reply would have', async () => {
    const response = fixture('failures').rateLimit;
    const failed = `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response })}\n\n`;
    const { error } = await livePartsIn(provider, { model: MODEL, chunks: [...EVENTS.slice(0, 5), failed] });
    expect(error).toMatchObject({ reason: 'upstream_rate_limited' });
  });

  it('is announced with each source in front of its marker', async () => {
    const { citationLists } = await livePartsIn(provider, { model: MODEL, chunks: EVENTS });
    expect(citationLists.map((list) => list.length)).toEqual([1, 2]);
  });
});
