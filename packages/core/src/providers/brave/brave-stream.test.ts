import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { brave } from './brave-provider.js';

const MODEL = 'brave/answers';
const stream = streamsIn(import.meta.dirname);
const provider = brave({ apiKey: 'k' });

const cite = (url: string) => `<citation>{"number": 1, "url": "${url}", "snippet": "a [1]"}</citation>`;
const WORDS = [
  ...'Open . 大橋 🌉 [1] [a](https://x.example/) ( <b> </usage> <citation>'.split(' '),
  ' ',
  'it is',
  '. ',
  '\n',
  '`x[1]`',
  '\n```js\n',
  '\n```\n',
  '<usage>{"X-Request-Queries": 1}</usage>',
  '\n<think>',
  cite('https://a.example/'),
  cite('https://b.example/'),
  cite(''),
];
const texts = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 }).map((words) => words.join(''));

/** A stream whose chunks hold so many characters. */
function chunksOf(text: string, length: number): string[] {
  const parts = text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
  const chunks = parts.map((content) => ({ choices: [{ delta: { content } }] }));
  const last = { choices: [{ delta: {}, finish_reason: 'stop' }] };
  return [...[...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
}

describe('a streamed answer of brave', () => {
  it('is the beginning of the whole text, for any cut of its tags', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), async (text, length) => {
        const { text: handed, outcome } = await livePartsIn(provider, {
          model: MODEL,
          chunks: chunksOf(`So ${text}`, length),
        });
        expect(outcome?.text.slice(0, handed.length)).toBe(handed);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves out the citations of thoughts, but not the tags in quoted pages', async () => {
    const quoted = cite('https://b.example/').replace('a [1]', '</think> a');
    const text = `<think>Hm.${cite('https://a.example/')}</think>It is open.${quoted} So.`;
    for (const length of [1, 7, 1_000]) {
      const {
        text: handed,
        outcome,
        citations,
      } = await livePartsIn(provider, { model: MODEL, chunks: chunksOf(text, length) });
      expect(outcome).toMatchObject({ text: 'It is open.[1] So.', citations: [{ url: 'https://b.example/' }] });
      expect([handed, citations]).toEqual([outcome?.text, outcome?.citations]);
    }
  });

  it('comes sentence by sentence, each citation before its marker', async () => {
    const create = (baseUrl: string) => brave({ apiKey: 'k', baseUrl });
    const text = stream('answer');
    const { parts, citationLists, outcome, requests } = await livePartsOf({
      create,
      model: MODEL,
      chunks: text.split(/(?<=\n\n)/),
    });
    expect(parts.length).toBeGreaterThan(1);
    expect(outcome?.text.startsWith(parts.join(''))).toBe(true);
    expect(citationLists.map((list) => list.length)).toEqual([1, 2]);
    expect(requests).toMatchObject([
      { path: '/res/v1/chat/completions', body: { stream: true, enable_citations: true } },
    ]);
  });
});
