import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Provider } from '../src/provider-kit/index.js';
import { askOnce, fixturesIn, streamsIn } from './ask-once.js';
import { livePartsIn, livePartsOf } from './live-parts-of.js';

export interface ResponsesStreamOptions {
  readonly create: (settings: { readonly apiKey: string; readonly baseUrl?: string }) => Provider;
  readonly model: string;
  /** Of the provider: its fixtures have `answer.json`, and the same answer as `answer-stream.txt`. */
  readonly folder: string;
  /** Where the provider is asked. */
  readonly path: string;
  /** An error in the middle of a stream, as the vendor writes it, and the reason it ends in. */
  readonly error: { readonly event: string; readonly reason: string };
}

/** The events of the recorded stream of a provider. */
export function recordedEvents(folder: string): string[] {
  return streamsIn(folder)('answer-stream').split(/(?<=\n\n)/);
}

/** What holds for the stream of every provider that speaks the Responses API, as tests. */
export function testResponsesStream({ create, model, folder, path, error }: ResponsesStreamOptions): void {
  const events = recordedEvents(folder);
  const provider = create({ apiKey: 'k' });
  const live = (chunks: readonly (string | Uint8Array)[]) => livePartsIn(provider, { model, chunks });
  const served = (chunks: readonly string[], isCut = false) =>
    livePartsOf({ create: (baseUrl) => create({ apiKey: 'k', baseUrl }), model, chunks, isCut });

  it('comes word by word, with the outcome of the answer that is asked for whole', async () => {
    const whole = await askOnce(provider, model, fixturesIn(folder)('answer'));
    const { parts, text, citations, outcome, requests } = await served(events);
    expect(outcome).toEqual(whole.outcome);
    expect(parts.length).toBeGreaterThan(8);
    expect(outcome?.text.slice(0, text.length)).toBe(text);
    expect(citations.map(({ url }) => url)).toEqual(outcome?.citations.map(({ url }) => url));
    expect(requests).toMatchObject([{ path, headers: { authorization: 'Bearer k', accept: 'text/event-stream' } }]);
    expect(requests[0]?.body).toEqual({ ...(whole.request.json as object), stream: true });
  });

  it('is the same wherever its bytes are cut', async () => {
    const bytes = Buffer.from(events.join('').replaceAll('Zephyr Bridge', 'Zephyr 大橋 🌉'));
    const expected = await live([bytes]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        const { text, outcome, citations } = await live(
          ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)),
        );
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
    const beginning = events.slice(
      0,
      events.findIndex((event) => event.includes('"response.completed"')),
    );
    const cut = await served(beginning, true);
    expect(cut.error).toMatchObject(broken);
    expect(cut.text).not.toBe('');
    expect((await live(beginning)).error).toMatchObject(broken);
  });

  it('ends with an error that comes in the middle', async () => {
    const begun = events.slice(0, events.findLastIndex((event) => event.includes('output_text.delta')) - 2);
    const shown = await live(begun);
    const failed = await live([...begun, error.event, ...events.slice(begun.length)]);
    expect(failed.text).toBe(shown.text);
    expect(failed.error).toMatchObject({ reason: error.reason });
  });
}
