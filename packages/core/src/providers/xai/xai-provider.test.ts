import { describe, expect, it } from 'vitest';
import { livePartsIn } from '../../../test/live-parts-of.js';
import { recordedEvents, testResponsesStream } from '../../../test/responses-stream-suite.js';
import { xai } from './xai-provider.js';

const MODEL = 'xai/grok-4.3';
const EVENTS = recordedEvents(import.meta.dirname);
const provider = xai({ apiKey: 'k' });

const ERROR_EVENT = 'data: {"type":"error","code":"Service temporarily unavailable","message":"Try again."}\n\n';
const ERROR = { event: ERROR_EVENT, reason: 'upstream_invalid_response' };

describe('a streamed answer of xai', () => {
  testResponsesStream({ create: xai, model: MODEL, folder: import.meta.dirname, path: '/responses', error: ERROR });

  it('waits at a link whose annotation comes after the text', async () => {
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
