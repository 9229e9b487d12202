import { expect, it } from 'vitest';
import type { Provider } from '../src/provider-kit/index.js';
import { askOnce, fixturesIn, streamsIn } from './ask-once.js';
import { livePartsIn, livePartsOf } from './live-parts-of.js';

export interface ResponsesStreamOptions {
  readonly create: (settings: { readonly apiKey: string; readonly baseUrl?: string }) => Provider;
  readonly model: string;
  /** The provider's folder, with the fixtures `answer.json` and the same answer as `answer-stream.txt`. */
  readonly folder: string;
  /** The path of the request. */
  readonly path: string;
  /** An error in the middle of a stream in the vendor's form, and the resulting reason. */
  readonly error: { readonly event: string; readonly reason: string };
}

/** The events of a provider's recorded stream. */
export function recordedEvents(folder: string): string[] {
  return streamsIn(folder)('answer-stream').split(/(?<=\n\n)/);
}

/** Tests of the stream of every provider that speaks the Responses API. */
export function testResponsesStream({ create, model, folder, path, error }: ResponsesStreamOptions): void {
  const events = recordedEvents(folder);
  const provider = create({ apiKey: 'k' });
  const live = (chunks: readonly (string | Uint8Array)[]) => livePartsIn(provider, { model, chunks });
  const served = (chunks: readonly string[]) =>
    livePartsOf({ create: (baseUrl) => create({ apiKey: 'k', baseUrl }), model, chunks });

  it('arrives word by word, with the outcome of the whole answer', async () => {
    const whole = await askOnce(provider, model, fixturesIn(folder)('answer'));
    const { parts, text, citations, outcome, requests } = await served(events);
    expect(outcome).toEqual(whole.outcome);
    expect(parts.length).toBeGreaterThan(8);
    expect(outcome?.text.slice(0, text.length)).toBe(text);
    expect(citations.map(({ url }) => url)).toEqual(outcome?.citations.map(({ url }) => url));
    expect(requests).toMatchObject([{ path, headers: { authorization: 'Bearer k', accept: 'text/event-stream' } }]);
    expect(requests[0]?.body).toEqual({ ...(whole.request.json as object), stream: true });
  });

  it('ends with an error in the middle', async () => {
    const begun = events.slice(0, events.findLastIndex((event) => event.includes('output_text.delta')) - 2);
    const shown = await live(begun);
    const failed = await live([...begun, error.event, ...events.slice(begun.length)]);
    expect(failed.text).toBe(shown.text);
    expect(failed.error).toMatchObject({ reason: error.reason });
  });
}
