import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { xai } from './xai-provider.js';

const MODEL = 'xai/grok-4.3';
const fixture = fixturesIn(import.meta.dirname);
const STREAM = streamsIn(import.meta.dirname)('answer-stream');
const EVENTS = STREAM.split(/(?<=\n\n)/);
const provider = xai({ apiKey: 'k' });
const create = (baseUrl: string) => xai({ apiKey: 'k', baseUrl });

const ERROR_EVENT = 'data: {"type":"error","code":"Service temporarily unavailable","message":"Try again."}\n\n';
const ERROR = { reason: 'upstream_invalid_response' };

describe('a streamed answer of xai', () => {
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

  it('waits at a link whose annotation comes behind the text', async () => {
    const isAnnotation = (event: string) => event.includes('annotation.added');
    const annotations = EVENTS.filter(isAnnotation);
    const others = EVENTS.filter((event) => !isAnnotation(event));
    const done = others.findIndex((event) => event.includes('output_text.done'));
    const whole = await livePartsIn(provider, { model: MODEL, chunks: EVENTS });
    const begun = await livePartsIn(provider, { model: MODEL, chunks: others.slice(0, done) });
    expect(begun.text).toBe('The Zephyr Bridge opened on 14 May 2021.');
    const late = [...others.slice(0, done), ...annotations, ...others.slice(done)];
    expect(await livePartsIn(provider, { model: MODEL, chunks: late })).toMatchObject({ text: whole.text });
  });
});
