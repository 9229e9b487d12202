import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { embedInParts } from '../src/kinds/embed-in-parts.js';
import type { AttemptContext } from '../src/kinds/kind-call.js';
import { measureTexts } from '../src/kinds/token-estimate.js';
import type { ProviderEmbed } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { mistral } from '../src/providers/index.js';
import { type Served, serve } from './every-model/serve.js';
import { KEY, reasonOf, start } from './scripted-gateway.js';

const rows = Object.values(allProviders).flatMap((create) => create({ apiKey: 'a-key' }).embed?.models ?? []);
/** Written by hand from the vendors’ documents: a row without a figure is a vendor whose limit was not found. */
const LIMITS: Readonly<Record<string, number>> = {
  mistral: 16_384,
  openai: 300_000,
  openrouter: 300_000,
  perplexity: 120_000,
  voyage: 120_000,
};

describe('the requests of embeddings', () => {
  it.each(rows)('to $slug have the most tokens that its vendor takes', ({ slug, maxRequestTokens }) => {
    expect(maxRequestTokens).toBe(LIMITS[slug.slice(0, slug.indexOf('/'))]);
  });

  it('have no more tokens than the model takes, or one text, and all texts in their order', async () => {
    const model = { ...rows[0]!, maxRequestTokens: 500 };
    const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 60 });
    const check = async (each: readonly number[], inputType: ProviderEmbed['inputType']) => {
      const inputs = each.map((length, at) => `${at}é`.padEnd(length, 'x'));
      const sent: (readonly string[])[] = [];
      const vectorsOf = (texts: readonly string[]) => texts.map((text, index) => ({ index, vector: [text.length] }));
      const embed = ({ inputs: texts }: ProviderEmbed) =>
        Promise.resolve({ embeddings: vectorsOf(texts), cost: {}, count: sent.push(texts) });
      const call = { model, inputs, inputType, dimensions: undefined };
      const { embeddings } = await embedInParts({ models: rows, maxInputs: 20, embed }, call, CONTEXT);
      expect([sent.flat(), embeddings]).toEqual([inputs, vectorsOf(inputs)]);
      const tokensOf = (texts: readonly string[]) => measureTexts(texts).reduce((sum, { most }) => sum + most, 0);
      const several = sent.filter(({ length }) => length > 1);
      expect(Math.max(0, ...several.map(tokensOf))).toBeLessThanOrEqual(inputType === undefined ? 500 : 500 - 24);
      expect(Math.max(...sent.map(({ length }) => length))).toBeLessThanOrEqual(20);
    };
    await fc.assert(fc.asyncProperty(lengths, fc.constantFrom('query' as const, undefined), check));
  });
});

const CONTEXT: AttemptContext = {
  signal: new AbortController().signal,
  enterSlot: () => null,
  costOf: () => 0n,
  ask: (send) => send(CONTEXT),
} as Partial<AttemptContext> as AttemptContext;

const OVERALL = { message: 'Too many tokens overall, split into more batches.', code: '3210' };
const ONE = { message: 'Input id 0 has 9000 tokens, exceeding max 8192 tokens.', code: null };

describe('embeddings that a vendor refuses as too many', () => {
  let vendor: Served;
  let sizes: number[] = [];
  /** Most characters that the vendor takes of all texts, and of one. */
  let most = { together: 0, alone: 0 };
  beforeEach(() => {
    sizes = [];
  });
  beforeAll(async () => {
    vendor = await serve((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.once('end', () => {
        const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
        const sum = input.join('').length;
        sizes.push(input.length);
        const isTooLong = input.some((text) => text.length > most.alone);
        if (isTooLong || sum > most.together)
          return void res.writeHead(400).end(JSON.stringify({ object: 'error', ...(isTooLong ? ONE : OVERALL) }));
        const data = input.map((text, index) => ({
          index,
          embedding: Array.from({ length: 1_024 }, () => text.length),
        }));
        res.writeHead(200).end(JSON.stringify({ data, usage: { prompt_tokens: sum, total_tokens: sum } }));
      });
    });
  });
  afterAll(() => vendor.close());

  async function embed(lengths: readonly number[]) {
    const scene = start([mistral({ apiKey: 'k', baseUrl: vendor.url })], { limit: null, maxAttempts: 1 });
    const input = lengths.map((length) => 'x'.repeat(length));
    const embedding = scene.gateway.embed({ apiKey: KEY, model: 'mistral/mistral-embed', input });
    const reply = await embedding.catch(() => undefined);
    const result = [await reasonOf(embedding), reply?.data.map(({ embedding: [first] }) => first), reply?.usage];
    await scene.gateway.close();
    return { result, totals: await scene.totals(), kinds: await scene.kinds() };
  }

  it('are asked for in halves, in their order, and charged for what was made', async () => {
    most = { together: 9, alone: 9 };
    const { result, totals } = await embed([4, 5, 6, 3, 9]);
    const usage = { prompt_tokens: 27, total_tokens: 27, cost: 0.000_002_7 };
    expect(result).toEqual(['answered', [4, 5, 6, 3, 9], usage]);
    expect(sizes).toEqual([5, 3, 2, 1, 2, 1, 1]);
    expect(totals).toMatchObject({ usage: 2_700n, held: 0n });
  });

  it.each<[string, { together: number; alone: number }, readonly number[], readonly number[]]>([
    ['a text alone', { together: 9, alone: 9 }, [10], [1]],
    ['each text, and no other is asked for', { together: 0, alone: 9 }, [4, 4, 4, 4, 4], [5, 3, 2, 1]],
    ['texts of which one is too long, which are not halved', { together: 99, alone: 9 }, [4, 10, 4], [3]],
  ])('are the caller’s mistake, free of charge, where the vendor refuses %s', async (_what, limits, lengths, asked) => {
    most = limits;
    const { result, totals, kinds } = await embed(lengths);
    expect(result[0]).toBe('query_rejected');
    expect(sizes).toEqual(asked);
    expect([totals.usage, totals.held, kinds.filter(([kind]) => kind === 'loss')]).toEqual([0n, 0n, []]);
  });
});
