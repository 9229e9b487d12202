import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUpstreamError } from '../src/base/errors/upstream-error.js';
import type { CallableModel } from '../src/catalog/catalog.js';
import { LiveStream } from '../src/kinds/answer/live-stream.js';
import { presentOutcome } from '../src/kinds/answer/present-outcome.js';
import * as allProviders from '../src/providers/index.js';
import { unmarkedText } from '../src/text/own-markers.js';
import { type LiveRun, livePartsIn } from './live-parts-of.js';

// Every recorded stream, arriving in pieces of any length.

const providers = Object.values(allProviders).flatMap((create) => {
  const provider = create({ apiKey: 'a-key' });
  const models = provider.models.filter(({ features }) => features.includes('streaming')).map(({ slug }) => slug);
  return models.length === 0 ? [] : [{ id: provider.id, provider, models, replies: repliesOf(provider.id) }];
});

interface Reply {
  readonly name: string;
  readonly bytes: Buffer;
}

function repliesOf(id: string): Reply[] {
  const folder = join(import.meta.dirname, '../src/providers', id, 'fixtures');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt') || !/^(?:errors|expected-answers)\.json$/.test(name))
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

/** The bytes, cut at these fractions of their length. */
function piecesOf(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}

/** The result of a run, for comparison. */
function endOf({ outcome, error }: LiveRun): unknown {
  if (outcome !== undefined) return outcome;
  if (!isUpstreamError(error)) throw error;
  const { reason, phase, cost, usage, detail } = error;
  return { reason, phase, cost, usage, detail };
}

/** The contract of a streamed answer: the delivered text, with or without markers, and the citations are prefixes of the final answer. */
function problemsOf({ outcome, text, citationLists }: LiveRun): string[] {
  if (outcome === undefined) return [];
  const isBeginning = [outcome.text, unmarkedText(outcome)].some((whole) => whole.startsWith(text));
  const hasOrder = citationLists.every((list) => list.every(({ url }, index) => outcome.citations[index]?.url === url));
  return [...(isBeginning ? [] : [`handed over: ${text}`]), ...(hasOrder ? [] : ['citations in another order'])];
}

const SERVED = { model: { slug: 'a/model' }, provider: 'a' } as unknown as CallableModel;

/** A caller's result of a run: the joined deltas, and the answer of `done`. */
function deliveredOf({ replay, outcome }: LiveRun, includeCitations: boolean) {
  const got = { streamed: '', answer: '', mismatches: 0 };
  const told = { start: () => undefined, citations: () => undefined, delta: (text: string) => (got.streamed += text) };
  const options = { id: 'ans_1', includeCitations, onMismatch: () => (got.mismatches += 1) };
  const stream = new LiveStream(told, options);
  const attempt = stream.open(SERVED);
  replay(attempt);
  attempt.end();
  if (outcome === undefined) return undefined;
  stream.finish(outcome, { model: 'a/model', provider: 'a' });
  return { ...got, answer: presentOutcome(outcome, includeCitations).answer };
}

const withoutNumbers = (text: string) => text.replaceAll(/ ?\[\d+\]/g, '');

/** How the joined deltas differ from the answer, which may have additional markers. */
function differencesOf(run: LiveRun): unknown[] {
  return [true, false].flatMap((includeCitations) => {
    const got = deliveredOf(run, includeCitations);
    if (got === undefined || (got.mismatches === 0 && got.streamed === got.answer)) return [];
    const lacksMarkers = includeCitations && withoutNumbers(got.streamed) === withoutNumbers(got.answer);
    return got.mismatches === 0 && lacksMarkers ? [] : [{ includeCitations, ...got }];
  });
}

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
const NUM_RUNS = 20;

describe.each(providers)('a stream of $id', ({ provider, models, replies }) => {
  const runs = replies.flatMap(({ name, bytes }) => models.map((model) => ({ name, bytes, model })));

  it.each(runs)('is the same in pieces as whole: $name of $model', async ({ bytes, model }) => {
    const whole = await livePartsIn(provider, { model, chunks: [bytes], isTold: false });
    const inOne = await livePartsIn(provider, { model, chunks: [bytes] });
    expect(endOf(inOne)).toEqual(endOf(whole));
    expect(problemsOf(inOne)).toEqual([]);
    expect(differencesOf(inOne)).toEqual([]);
    await fc.assert(
      fc.asyncProperty(shares, async (each) => {
        const inPieces = await livePartsIn(provider, { model, chunks: piecesOf(bytes, each) });
        expect(inPieces.parts).toEqual(inOne.parts);
        expect(inPieces.citationLists).toEqual(inOne.citationLists);
        expect(endOf(inPieces)).toEqual(endOf(inOne));
        expect(differencesOf(inPieces)).toEqual([]);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it.each(models)('comes in parts from %s', async (model) => {
    const runsOfModel = await Promise.all(
      replies.map(({ bytes }) => livePartsIn(provider, { model, chunks: [bytes] })),
    );
    expect(runsOfModel.some(({ parts, outcome }) => outcome !== undefined && parts.length > 1)).toBe(true);
  });
});
