import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn } from '../../../test/ask-once.js';
import { livePartsIn } from '../../../test/live-parts-of.js';
import { responsesEvents, streamOf } from '../../../test/responses-events.js';
import { recordedEvents, testResponsesStream } from '../../../test/responses-stream-suite.js';
import { perplexity } from './perplexity-provider.js';

const MODEL = 'perplexity/sonar';
const fixture = fixturesIn(import.meta.dirname);
const EVENTS = recordedEvents(import.meta.dirname);
const provider = perplexity({ apiKey: 'k' });

const ERROR_EVENT = 'data: {"type":"error","error":{"message":"Try again.","type":"internal_error","code":500}}\n\n';
const ERROR = { event: ERROR_EVENT, reason: 'upstream_invalid_response' };

describe('a streamed answer of perplexity', () => {
  testResponsesStream({
    create: perplexity,
    model: MODEL,
    folder: import.meta.dirname,
    path: '/v1/agent',
    error: ERROR,
  });

  const streamOfFixture = (name: string) =>
    streamOf(responsesEvents(fixture(name), { annotated: 'with the part' }), { isNamed: false });
  const live = (name: string) => livePartsIn(provider, { model: MODEL, chunks: [streamOfFixture(name)] });

  it('waits from the first marker on if two searches use an id for different pages', async () => {
    const { text, outcome } = await live('answer-annotated');
    expect(text).toBe('It opened in May');
    expect(outcome?.text).toBe((await askOnce(provider, MODEL, fixture('answer-annotated'))).outcome.text);
  });

  it('announces no sources for a text without markers, which annotations may order otherwise', async () => {
    const { text, citationLists, outcome } = await live('answer-annotated-sentences');
    expect(text).toBe('It opened in May 2021. It is busy.');
    expect(citationLists).toEqual([]);
    expect(outcome?.citations).toHaveLength(3);
  });

  it('waits from the first marker on that only an annotation explains', async () => {
    const chunks = [EVENTS.join('').replaceAll('2021.[1]', '2021.[web:1]')];
    expect((await livePartsIn(provider, { model: MODEL, chunks })).text).toBe('It opened in May');
  });

  it('is also read from chunks of the old chat completions', async () => {
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
