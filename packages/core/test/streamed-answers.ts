import fc from 'fast-check';
import { expect } from 'vitest';
import type { AnswerOutcome, Provider } from '../src/provider-kit/provider.js';
import { unmarkedText } from '../src/text/own-markers.js';
import { type LiveRun, livePartsIn } from './live-parts-of.js';

/** A text in pieces of so many characters, surrogates parted. */
export const piecesOf = (text: string, length = 7) => text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];

/** What came is the beginning of the answer, or of the answer without its markers. Its citations begin with those that came. */
export function expectBeginning(run: LiveRun, answer: AnswerOutcome): void {
  expect(run.outcome).toEqual(answer);
  const { text, citations } = answer;
  const whole = text.startsWith(run.text) ? text : unmarkedText(answer);
  expect(whole.slice(0, run.text.length)).toBe(run.text);
  const urls = run.citations.map(({ url }) => url);
  expect(citations.map(({ url }) => url).slice(0, urls.length)).toEqual(urls);
}

/** A stream gives the same however its bytes are cut into pieces. */
export async function expectSameInPieces(provider: Provider, model: string, stream: string, answer: AnswerOutcome) {
  const bytes = Buffer.from(stream);
  const cuts = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const ends = [...new Set([...places, bytes.length])].sort((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expectBeginning(await livePartsIn(provider, { model, chunks }), answer);
    }),
    { numRuns: 200 },
  );
}
