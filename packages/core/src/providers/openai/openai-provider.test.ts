import { describe, expect, it } from 'vitest';
import { fixturesIn } from '../../../test/ask-once.js';
import { livePartsIn } from '../../../test/live-parts-of.js';
import { recordedEvents, testResponsesStream } from '../../../test/responses-stream-suite.js';
import { openai, openaiSearch } from './openai-provider.js';

const MODEL = 'openai/gpt-6.2-sol';
const fixture = fixturesIn(import.meta.dirname);
const EVENTS = recordedEvents(import.meta.dirname);
const provider = openai({ apiKey: 'k' });

/** As OpenAI's OpenAPI document of 2026-08-21 has it. */
const ERROR_EVENT =
  'event: error\ndata: {"type":"error","code":"server_error","message":"The server had an error.","param":null,"sequence_number":20}\n\n';
const ERROR = { event: ERROR_EVENT, reason: 'upstream_error' };

describe('a streamed answer of openai', () => {
  testResponsesStream({ create: openai, model: MODEL, folder: import.meta.dirname, path: '/responses', error: ERROR });

  it('ends a failed run like the whole reply', async () => {
    const response = fixture('failures').rateLimit;
    const failed = `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response })}\n\n`;
    const { error } = await livePartsIn(provider, { model: MODEL, chunks: [...EVENTS.slice(0, 5), failed] });
    expect(error).toMatchObject({ reason: 'upstream_rate_limited' });
  });

  it('announces each source before its marker', async () => {
    const { citationLists } = await livePartsIn(provider, { model: MODEL, chunks: EVENTS });
    expect(citationLists.map((list) => list.length)).toEqual([1, 2]);
  });
});

describe('the filters of the tool', () => {
  it.each([
    [{}, {}],
    [{ includeDomains: ['a.example'] }, { filters: { allowed_domains: ['a.example'] } }],
    [{ excludeDomains: ['a.example'] }, { filters: { blocked_domains: ['a.example'] } }],
  ])('of %j are %j', (asked, fields) => {
    expect(openaiSearch(asked)).toEqual(fields);
  });
});
