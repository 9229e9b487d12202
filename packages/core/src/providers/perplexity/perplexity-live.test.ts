import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { responsesEvents, streamOf } from '../../../test/responses-events.js';
import { perplexity } from './perplexity-provider.js';

const MODEL = 'perplexity/sonar';
const fixture = fixturesIn(import.meta.dirname);
const STREAM = streamsIn(import.meta.dirname)('answer-stream');
const EVENTS = STREAM.split(/(?<=\n\n)/);
const provider = perplexity({ apiKey: 'k' });
const create = (baseUrl: string) => perplexity({ apiKey: 'k', baseUrl });

const ERROR_EVENT = 'data: {"type":"error","error":{"message":"Try again.","type":"internal_error","code":500}}\n\n';
const ERROR = { reason: 'upstream_invalid_response' };

describe('a streamed answer of perplexity', () => {
  it('comes word by word, with the outcome of the answer that is asked for whole', async () => {
    const whole = await askOnce(provider, MODEL, fixture('answer'));
    const { parts, text, citations, outcome, requests } = await livePartsOf({ create, model: MODEL, chunks: EVENTS });
    expect(outcome).toEqual(whole.outcome);
    expect(parts.length).toBeGreaterThan(8);
    expect(outcome?.text.slice(0, text.length)).toBe(text);
    expect(citations.map(({ url }) => url)).toEqual(outcome?.citations.map(({ url }) => url));
    expect(requests).toMatchObject([
      { path: '/v1/agent', headers: { authorization: 'Bearer k', accept: 'text/event-stream' } },
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

  const streamOfFixture = (name: string) =>
    streamOf(responsesEvents(fixture(name), { annotated: 'with the part' }), { isNamed: false });
  const live = (name: string) => livePartsIn(provider, { model: MODEL, chunks: [streamOfFixture(name)] });

  it('has no markers where two searches give their ids to different pages', async () => {
    const { text, outcome } = await live('answer-annotated');
    expect(text).toBe('It opened in May 2021. It is busy. Both are on record.');
    expect(outcome?.text).toBe((await askOnce(provider, MODEL, fixture('answer-annotated'))).outcome.text);
  });

  it('announces no sources for a text without markers, which annotations may order otherwise', async () => {
    const { text, citationLists, outcome } = await live('answer-annotated-sentences');
    expect(text).toBe('It opened in May 2021. It is busy.');
    expect(citationLists).toEqual([]);
    expect(outcome?.citations).toHaveLength(3);
  });

  it('waits from a marker on that only an annotation explains', async () => {
    const chunks = [STREAM.replaceAll('2021.[1]', '2021.[web:1]')];
    expect((await livePartsIn(provider, { model: MODEL, chunks })).text).toBe('It opened in May');
  });

  it('is read from chunks of the old chat completions too', async () => {
    const { choices, ...reply } = fixture('chat');
    const chunk = { ...reply, choices: [{ ...choices[0], message: undefined, delta: choices[0].message }] };
    const { text, outcome } = await livePartsIn(provider, {
      model: MODEL,
      chunks: [`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`],
    });
    expect(text).toBe('');
    expect(outcome).toEqual((await askOnce(provider, MODEL, fixture('chat'))).outcome);
  });
});
