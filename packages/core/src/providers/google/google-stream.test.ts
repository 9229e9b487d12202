import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { expectBeginning, piecesOf } from '../../../test/streamed-answers.js';
import { google } from './google-provider.js';
import { reduceCandidate } from './google-stream.js';

const MODEL = 'google/gemini-3.8-flash';
const create = (baseUrl?: string) => google({ apiKey: 'k', baseUrl });
const provider = create();
const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname)('answer-stream');
const plain = async (reply: unknown) => (await askOnce(provider, MODEL, reply)).outcome;
const streamed = (...chunks: readonly string[]) => livePartsIn(provider, { model: MODEL, chunks });
const eventText = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** The chunks by which a whole reply comes: each part piece by piece, and the grounding with the last one. */
function chunksOf({ candidates: [{ content, finishReason, groundingMetadata }], ...head }: ReturnType<typeof fixture>) {
  const pieces = (content?.parts ?? []).flatMap((part: { text?: unknown } | null) =>
    typeof part?.text === 'string' ? piecesOf(part.text).map((text) => ({ ...part, text })) : [part],
  );
  return [
    ...pieces.map((part: unknown) => ({ ...head, candidates: [{ content: { parts: [part] }, index: 0 }] })),
    { ...head, candidates: [{ finishReason: finishReason ?? 'STOP', groundingMetadata }] },
  ];
}

describe('a stream of Google', () => {
  it('comes without markers and thoughts, and ends as the whole reply', async () => {
    const run = await livePartsOf({ create, model: MODEL, chunks: stream.split(/(?<=\r\n\r\n)/) });
    expectBeginning(run, await plain(fixture('answer')));
    expect(run.parts).toEqual([
      'The Zephyr Bridge opened',
      ' on 14 May 2021.',
      ' About 40,000 vehicles cross',
      ' it every day.',
    ]);
    expect(run.citationLists).toEqual([]);
    expect(run.requests).toMatchObject([
      {
        path: '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
        headers: { accept: 'text/event-stream', 'x-goog-api-key': 'k' },
        body: { tools: [{ googleSearch: {} }], generationConfig: { maxOutputTokens: 8_192 } },
      },
    ]);
  });

  it('is whole with a reason in its last content and an orderly end of its body', () => {
    const text = { content: { parts: [{ text: 'Yes.' }] } };
    const [stop, stopped] = [{ finishReason: 'STOP' }, { ...text, finishReason: 'STOP' }];
    const empty = { content: { parts: [{ text: '' }] }, groundingMetadata: {} };
    const isWhole = (...candidates: readonly object[]) => {
      const reduce = reduceCandidate(undefined);
      for (const each of candidates) reduce.push({ candidates: [each] });
      return (['closed', 'cut'] as const).map((end) => reduce.isWhole(end));
    };
    expect(isWhole(text)).toEqual([false, false]);
    expect(isWhole(text, stop)).toEqual([true, false]);
    // Some streams say it with every chunk.
    expect(isWhole(stopped, stopped)).toEqual([true, false]);
    expect(isWhole(stopped, text)).toEqual([false, false]);
    expect(isWhole(stopped, empty)).toEqual([true, false]);
  });

  it.each([
    'answer-many-citations',
    'answer-chunks-without-queries',
    'answer-missing-fields',
    'answer-nulls',
    'answer-unicode',
    'answer-no-citations',
  ])('of %s ends as the whole reply', async (name) => {
    expectBeginning(await streamed(eventText(chunksOf(fixture(name)))), await plain(fixture(name)));
  });

  it('of several parts ends as the whole reply', async () => {
    const { parts, outcome } = await streamed(eventText(chunksOf(fixture('answer-parts'))));
    expect(outcome).toEqual(await plain(fixture('answer-parts')));
    expect(parts.join('')).toBe('I looked it up. It opened in May 2021. It is busy.');
  });

  it('is always the beginning of the answer without its markers, for any places of markers', async () => {
    const words =
      'It opened| in 2021|.| |\n|- |(|)|f(x)|{|[|]|[1]|\\|`a`|`|``|\n```\n|~|:|橋|】|](https://x.example)|'.split('|');
    const supports = fc.array(fc.record({ end: fc.nat(60), of: fc.nat(2) }), { maxLength: 8 });
    const texts = fc.array(fc.constantFrom(...words), { maxLength: 16 }).map((all) => `It is so.${all.join('')}`);
    await fc.assert(
      fc.asyncProperty(texts, supports, async (text, places) => {
        const groundingMetadata = {
          webSearchQueries: ['zephyr'],
          groundingChunks: [1, 2, 3].map((n) => ({ web: { uri: `https://example.org/${n}`, title: 't' } })),
          groundingSupports: places.map(({ end, of }) => ({ segment: { endIndex: end }, groundingChunkIndices: [of] })),
        };
        const reply = { candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP', groundingMetadata }] };
        expectBeginning(await streamed(eventText(chunksOf(reply))), await plain(reply));
      }),
      { numRuns: 500 },
    );
  });

  it('holds back the text from the first place where a marker could leave a trace', async () => {
    const at = async (text: string) => {
      const reply = {
        candidates: [
          { content: { parts: [{ text }] }, finishReason: 'STOP', groundingMetadata: { webSearchQueries: ['q'] } },
        ],
      };
      return (await streamed(eventText(chunksOf(reply)))).text;
    };
    expect(await at('Two (of `them`) are open')).toBe('Two (of `them`) are open');
    expect(await at('The bridge(s) are open')).toBe('The bridge');
    expect(await at('See [here](https://example.org) now')).toBe('See');
    expect(await at('So:\n```\ncode\n```\n')).toBe('So:');
  });

  it('that tells of an error ends with it, and nothing comes behind it', async () => {
    const events = stream.split(/(?<=\r\n\r\n)/);
    const told = eventText([{ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }]);
    const { text, error } = await streamed(...events.slice(0, 4), told, ...events.slice(4));
    expect(error).toMatchObject({ reason: 'upstream_invalid_response', detail: expect.stringContaining('overloaded') });
    expect(text).toBe('The Zephyr Bridge opened on 14 May 2021.');
  });

  it('whose prompt is blocked is refused', async () => {
    const { error } = await streamed(eventText([fixture('blocked-prompt')]));
    expect(error).toMatchObject({ reason: 'query_rejected' });
  });

  it('without a search is no answer', async () => {
    const { error } = await streamed(eventText(chunksOf(fixture('answer-ungrounded'))));
    expect(error).toMatchObject({ reason: 'upstream_invalid_response', phase: 'shape' });
  });
});
