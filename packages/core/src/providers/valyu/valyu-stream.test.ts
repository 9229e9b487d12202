import { describe, expect, it } from 'vitest';
import { streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { valyu } from './valyu-provider.js';

const ANSWER = 'valyu/answer';
const [A, B, C] = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const results = (...urls: (string | undefined)[]) => ({ search_results: urls.map((url) => ({ url })) });
const delta = (content: string) => event({ choices: [{ delta: { content } }] });

const run = (...chunks: string[]) => livePartsIn(valyu({ apiKey: 'k' }), { model: ANSWER, chunks });

describe('a streamed answer of valyu', () => {
  it('comes in the parts of the stream', async () => {
    const create = (baseUrl: string) => valyu({ apiKey: 'k', baseUrl });
    const chunks = streamsIn(import.meta.dirname)('answer').split(/(?<=\n\n)/);
    const { parts, citationLists, outcome, requests } = await livePartsOf({ create, model: ANSWER, chunks });
    expect(parts).toEqual(['The Zephyr Bridge opened on 14 May 2021', ' and carries about 40,000 vehicles a day.']);
    expect(citationLists.map((list) => list.length)).toEqual([2, 3]);
    expect(outcome).toMatchObject({ text: parts.join('') });
    expect(requests).toMatchObject([{ path: '/v1/answer', headers: { accept: 'text/event-stream' } }]);
  });

  it('keeps citations in the order of arrival, whichever list its markers count', async () => {
    const { outcome, text, citations } = await run(
      event(results(A, B)),
      delta('Yes [1], no [3]'),
      delta(', maybe.'),
      event({ success: true, ...results(B, A, C) }),
    );
    expect(text).toBe('Yes');
    expect(citations.map(({ url }) => url)).toEqual([A, B]);
    expect(outcome).toMatchObject({ text: 'Yes [2], no [3], maybe.', citations: [{ url: A }, { url: B }, { url: C }] });
  });

  it('has no text behind an error', async () => {
    const { error, text } = await run(event(results(A)), delta('Yes'), event({ error: 'Overloaded' }), delta(', no.'));
    expect(text).toBe('Yes');
    expect(error).toMatchObject({ reason: 'upstream_invalid_response' });
  });
});
