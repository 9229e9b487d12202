import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  type Gateway,
  type GatewayOptions,
  type GatewayRequest,
  type Ledger,
  memoryLedger,
} from '../src/index.js';
import {
  type Embedding,
  type EmbedOutcome,
  type FlatPrice,
  type ModelRow,
  type OutcomeCost,
  type Provider,
  type ProviderEmbed,
  type ProviderLimits,
  type Rank,
  type RerankOutcome,
  UpstreamError,
} from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { KEY, OUTCOME, reasonOf, scripted, start, whileAdvancing } from './scripted-gateway.js';

const PROVENANCE = { source: 'test', asOf: '2026-11-27', confidence: 'high' } as const;

function row(slug: string, price: Partial<FlatPrice>, more: Partial<ModelRow> = {}): ModelRow {
  return {
    slug,
    name: slug,
    description: 'A provider of numbers.',
    prices: [{ kind: 'flat', ...price, ...PROVENANCE }],
    features: [],
    contextLength: null,
    timeoutMs: 10_000,
    ...more,
  };
}

interface Numbers {
  readonly rerank?: () => RerankOutcome | UpstreamError;
  readonly embed?: (call: ProviderEmbed) => EmbedOutcome | UpstreamError;
  readonly maxInputs?: number;
  readonly price?: Partial<FlatPrice>;
  readonly limits?: ProviderLimits;
  /** Of `vec/sort`. */
  readonly more?: Partial<ModelRow>;
}

const ended = <Outcome>(outcome: Outcome | UpstreamError) =>
  outcome instanceof UpstreamError ? Promise.reject(outcome) : Promise.resolve(outcome);

const LONG = { dimensions: 4, features: ['dimensions_param'] };

/** `vec/sort` costs $0.002 a search unit, `vec/turn` $0.00002 a token; both do all right unless told otherwise. */
function numbersOf({ rerank, embed, maxInputs = 2_048, price, limits, more }: Numbers) {
  const calls: ProviderEmbed[] = [];
  const provider: Provider = {
    id: 'vec',
    name: 'vec',
    models: [],
    limits,
    rerank: {
      models: [row('vec/sort', price ?? { perSearchUnit: '0.002' }, { maxDocuments: 200, ...more })],
      rerank: ({ documents }) =>
        ended(rerank?.() ?? { ranks: documents.map((_text, index) => ({ index, score: index })), cost: {} }),
    },
    embed: {
      models: [
        row('vec/turn', price ?? { perMillionTokens: '20' }, {
          dimensions: 2,
          features: ['dimensions_param', 'input_type'],
        }),
        row('vec/long', { perMillionTokens: '20' }, { ...LONG, leastDimensions: 3 }),
        row('vec/other', { perMillionTokens: '1' }, { dimensions: 2 }),
        row('vec/free', { perMillionTokens: '20' }),
      ],
      maxInputs,
      embed(call) {
        calls.push(call);
        const embeddings = call.inputs.map((text, index) => ({ index, vector: [text.length, 1] }));
        return ended(embed?.(call) ?? { embeddings, cost: {} });
      },
    },
  };
  return { provider, calls };
}

const open: Gateway[] = [];
afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));

/** A gateway over the provider, and calls with its one key. */
function startNumbers(numbers: Numbers = {}, options: Parameters<typeof start>[1] = {}) {
  const { provider, calls } = numbersOf(numbers);
  const scene = start([provider], { limit: null, maxAttempts: 1, ...options });
  const { gateway } = scene;
  open.push(gateway);
  return {
    ...scene,
    calls,
    rerank: (
      documents: Parameters<typeof gateway.rerank>[0]['documents'],
      more: Partial<Parameters<typeof gateway.rerank>[0]> = {},
    ) => gateway.rerank({ apiKey: KEY, model: 'vec/sort', query: 'Zephyr', documents, ...more }),
    embed: (input: string | readonly string[], more: Partial<Parameters<typeof gateway.embed>[0]> = {}) =>
      gateway.embed({ apiKey: KEY, model: 'vec/turn', input, ...more }),
  };
}

const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`);
const base64 = (numbers: readonly number[] | Uint32Array) =>
  Buffer.from((numbers instanceof Uint32Array ? numbers : Float32Array.from(numbers)).buffer).toString('base64');
const NAN = base64(Uint32Array.of(0x7f_c0_00_01, 0x3f_80_00_00));

describe('the ranks of a provider', () => {
  const [A, B, C] = [0.5, 0.25, 0.75].map((score, index): Rank => ({ index, score })) as [Rank, Rank, Rank];

  it.each<[string, unknown]>([
    ['an index before the first', [A, B, { index: -1, score: 1 }]],
    ['an index behind the last', [A, B, { index: 3, score: 1 }]],
    ['an index between two', [A, B, { index: 1.5, score: 1 }]],
    ['an index that is no number', [A, B, { index: Number.NaN, score: 1 }]],
    ['an index that is a text', [A, B, { index: '2', score: 1 }]],
    ['an index that is a name', [A, B, { index: 'length', score: 1 }]],
    ['an index twice', [A, B, C, B]],
    ['no index', [A, B, { score: 1 }]],
    ['a score that is NaN', [A, B, { index: 2, score: Number.NaN }]],
    ['a score without end', [A, B, { index: 2, score: Number.POSITIVE_INFINITY }]],
    ['a score that is a text', [A, B, { index: 2, score: '0.75' }]],
    ['no score', [A, B, { index: 2, score: null }]],
    ['an entry that is nothing', [A, B, null]],
    ['a missing document', [A, B]],
    ['a hole', Object.assign(Array.from({ length: 0 }), { 0: A, 2: C })],
    ['no list', { 0: A, 1: B, 2: C }],
  ])('with %s are a fault, whose cost is a loss', async (_what, ranks) => {
    const cost = { usage: { searchUnits: 1 } };
    const { rerank, kinds, logged } = startNumbers({ rerank: () => ({ ranks: ranks as Rank[], cost }) });
    expect(await reasonOf(rerank(texts(3)))).toBe('upstream_invalid_response');
    expect((await kinds()).slice(1)).toEqual([['loss', 2_000_000n]]);
    expect(logged).toEqual([]);
  });

  it('are sorted by score, cut to those that are wanted, and shown with the caller’s own texts', async () => {
    const { rerank } = startNumbers({ rerank: () => ({ ranks: [B, C, A], cost: {} }) });
    const { results } = await rerank(['a', 'b', 'c'], { topN: 2 });
    expect(results).toEqual([
      { index: 2, relevance_score: 0.75, document: { text: 'c' } },
      { index: 0, relevance_score: 0.5, document: { text: 'a' } },
    ]);
  });
});

const TIED: readonly Rank[] = [
  { index: 2, score: 0.5 },
  { index: 0, score: 0.5 },
  { index: 1, score: 1 },
];

describe('a rerank', () => {
  it('keeps documents of equal score in order, and gives all where more are wanted', async () => {
    const { rerank } = startNumbers({ rerank: () => ({ ranks: TIED, cost: {} }) });
    const { results } = await rerank(['a', { text: 'b' }, 'c'], { topN: 9 });
    expect(results.map(({ index }) => index)).toEqual([1, 0, 2]);
  });

  it.each<[object, string]>([
    [{ documents: [] }, 'invalid_field'],
    [{ documents: 'a' }, 'invalid_field'],
    [{ documents: [{ title: 'a' }] }, 'invalid_field'],
    [{ documents: ['\ud800'] }, 'invalid_field'],
    [{ documents: texts(1_001).map(() => 'x') }, 'invalid_field'],
    [{ documents: texts(201).map(() => 'x') }, 'unsupported_option'],
    [{ documents: ['x'.repeat(600), 'x'.repeat(401)] }, 'request_too_large'],
    [{ topN: 1.5 }, 'invalid_field'],
    [{ query: '' }, 'invalid_field'],
    [{ topK: 2 }, 'unsupported_field'],
    [{ search: {} }, 'unsupported_field'],
    [{ model: 'vec/turn' }, 'model_category_mismatch'],
    [{ model: undefined }, 'invalid_field'],
  ])('with %j is refused as %s, and costs nothing', async (more, reason) => {
    let reranks = 0;
    const rerank = () => {
      reranks += 1;
      return { ranks: [], cost: {} };
    };
    const scene = startNumbers({ rerank }, { endpoints: { rerank: { maxInputCharacters: 1_000 } } });
    expect(await reasonOf(scene.rerank(['a'], more))).toBe(reason);
    expect([reranks, (await scene.totals()).usage]).toEqual([0, 0n]);
  });
});

describe('the vectors of a provider', () => {
  const one = (vector: unknown) => [
    { index: 0, vector: [1, 2] },
    { index: 1, vector },
  ];
  const atIndex = (index: unknown) => [
    { index: 0, vector: [1, 2] },
    { index, vector: [3, 4] },
  ];

  it.each<[string, unknown]>([
    ['an index before the first', atIndex(-1)],
    ['an index behind the last', atIndex(2)],
    ['an index between two', atIndex(0.5)],
    ['an index that is no number', atIndex(Number.NaN)],
    ['an index that is a text', atIndex('1')],
    ['an index twice', atIndex(0)],
    ['an entry that is nothing', [{ index: 0, vector: [1, 2] }, null]],
    ['a missing entry', one([3, 4]).slice(1)],
    ['a surplus entry', [...one([3, 4]), { index: 1, vector: [3, 4] }]],
    ['no list', { 0: one([3, 4])[0] }],
    ['no vector', one(null)],
    ['an object for a vector', one({ 0: 3, 1: 4 })],
    ['a vector without numbers', one([])],
    ['a text without numbers', one('')],
    ['a longer vector', one([3, 4, 5])],
    ['a shorter vector in base64', one(base64([3]))],
    ['NaN', one([3, Number.NaN])],
    ['Infinity', one([3, Number.NEGATIVE_INFINITY])],
    ['a number beyond 32 bits', one([3, 1e39])],
    ['a text for a number', one([3, '4'])],
    ['a missing number', one([3, null])],
    ['zeros', one([0, -0])],
    ['numbers that are zeros in 32 bits', one([1e-60, 0])],
    ['zeros in base64', one(base64([0, 0]))],
    ['bits of NaN', one(NAN)],
    ['bits of Infinity', one(base64([1, Number.POSITIVE_INFINITY]))],
    ['bytes that are no floats', one(Buffer.alloc(7, 1).toString('base64'))],
    ['base64 without its end', one(base64([3, 4]).slice(0, -1))],
    ['base64 with an illegal character', one(`!${base64([3, 4])}`)],
    ['base64 in lines', one(`${base64([3, 4])}\n`)],
    ['base64 for addresses', one(base64([1.9999999, 4]).replaceAll('/', '_').replaceAll('+', '-'))],
  ])('with %s are a fault, whose cost is a loss', async (_what, embeddings) => {
    const embed = () => ({ embeddings: embeddings as Embedding[], cost: { usage: { inputTokens: 5 } } });
    for (const encodingFormat of ['float', 'base64'] as const) {
      const scene = startNumbers({ embed });
      expect(await reasonOf(scene.embed(['a', 'b'], { encodingFormat }))).toBe('upstream_invalid_response');
      expect((await scene.kinds()).slice(1)).toEqual([['loss', 100_000n]]);
      expect(scene.logged).toEqual([]);
    }
  });

  it('of another length than is asked for are a fault', async () => {
    const { embed, calls } = startNumbers();
    expect(await reasonOf(embed('a', { dimensions: 1 }))).toBe('upstream_invalid_response');
    expect(calls).toMatchObject([{ dimensions: 1 }]);
  });

  it.each<[string, readonly (string | readonly number[])[]]>([
    [
      'as long as each other, but not as the model says',
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    ['so in base64', [base64([1, 2, 3]), base64([4, 5, 6])]],
    ['of 1.3 million numbers', [Array<number>(1_300_000).fill(1), [1, 2]]],
    ['of 1.3 million numbers in base64', [base64(Array<number>(1_300_000).fill(1)), base64([1, 2])]],
  ])('%s are a fault', async (_what, vectors) => {
    const embeddings = vectors.map((vector, index) => ({ index, vector }));
    const scene = startNumbers({ embed: () => ({ embeddings, cost: { usage: { inputTokens: 5 } } }) });
    expect(await reasonOf(scene.embed(['a', 'b']))).toBe('upstream_invalid_response');
    expect((await scene.kinds()).slice(1)).toEqual([['loss', 100_000n]]);
  });

  it.each([1, 16_384, 16_385])('of a model of unknown length may have %d numbers, or are a fault', async (length) => {
    for (const isText of [false, true]) {
      const numbers = Array<number>(length).fill(0.5);
      const embed = () => ({ embeddings: [{ index: 0, vector: isText ? base64(numbers) : numbers }], cost: {} });
      const scene = startNumbers({ embed });
      const reply = scene.embed('a', { model: 'vec/free' });
      const found = await reply.then(
        ({ data }) => data[0]?.embedding.length,
        () => reasonOf(reply),
      );
      expect(found).toBe(length <= 16_384 ? length : 'upstream_invalid_response');
    }
  });

  it('are as long as the host says of its model', async () => {
    const embed = () => ({ embeddings: [{ index: 0, vector: [1, 2, 3] }], cost: {} });
    const { ...scene } = startNumbers({ embed }, { models: { 'vec/turn': { dimensions: 3 } } });
    expect((await scene.embed('a')).data).toHaveLength(1);
  });

  it('of a part are of its own texts', async () => {
    // Together the parts would name each text once.
    const embed = ({ inputs: [text = ''] }: ProviderEmbed) => ({
      embeddings: [{ index: text === 'a' ? 1 : -1, vector: [1, 2] }],
      cost: {},
    });
    const scene = startNumbers({ embed, maxInputs: 1 });
    expect(await reasonOf(scene.embed(['a', 'b']))).toBe('upstream_invalid_response');
  });

  it('come in parts, in the order of the texts', async () => {
    const inputs = texts(2_048).map((text, at) => `${text}${'.'.repeat(at % 50)}`);
    const reversed = ({ inputs: part }: ProviderEmbed) => ({
      embeddings: part.map((text, index) => ({ index, vector: [text.length, 1] })).toReversed(),
      cost: {},
    });
    const { embed, calls } = startNumbers({ embed: reversed, maxInputs: 100 });
    const { data } = await embed(inputs);
    expect(calls.flatMap((call) => call.inputs)).toEqual(inputs);
    expect(data.map(({ index }) => index)).toEqual(inputs.map((_text, at) => at));
    expect(data.map(({ embedding }) => embedding[0])).toEqual(inputs.map((text) => text.length));
  });

  it('keep every bit, whatever form they come and go in', async () => {
    const numbers = fc
      .float32Array({ noNaN: true, noDefaultInfinity: true, minLength: 1, maxLength: 40 })
      .filter((vector) => vector.some((number) => number !== 0));
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), async (vector, isText) => {
        const text = Buffer.from(vector.slice().buffer).toString('base64');
        const embed = () => ({ embeddings: [{ index: 0, vector: isText ? text : [...vector] }], cost: {} });
        const scene = startNumbers({ embed });
        const model = 'vec/free';
        const [float] = (await scene.embed('a', { model })).data;
        const [encoded] = (await scene.embed('a', { model, encodingFormat: 'base64' })).data;
        expect(encoded?.embedding).toBe(text);
        expect(float?.embedding).toEqual([...vector]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the money of a rerank', () => {
  it.each<[string, number, OutcomeCost, bigint, { billed_units?: object }]>([
    ['the search units asked for', 101, {}, 4_000_000n, {}],
    ['the search units counted', 101, { usage: { searchUnits: 3 } }, 6_000_000n, { billed_units: { search_units: 3 } }],
    ['no count of nothing', 3, { usage: { searchUnits: 0 } }, 2_000_000n, {}],
    ['no count that is none', 3, { usage: { searchUnits: Number.NaN } }, 2_000_000n, {}],
    [
      'the cost that is told',
      3,
      { reported: 5n, usage: { searchUnits: 1 } },
      5n,
      { billed_units: { search_units: 1 } },
    ],
  ])('is of %s', async (_what, count, cost, charged, units) => {
    const rerank = () => ({ ranks: texts(count).map((_text, index) => ({ index, score: index })), cost });
    const scene = startNumbers({ rerank });
    const { usage, meta } = await scene.rerank(texts(count));
    expect(usage).toStrictEqual({ ...units.billed_units, cost: Number(charged) / 1e9 });
    expect(meta).toStrictEqual({ api_version: { version: '2' }, ...units });
    expect((await scene.totals()).usage).toBe(charged);
  });

  it('of a model with a price of tokens counts those of the query once for each document', async () => {
    const price = { perMillionTokens: '20' };
    const documents = ['eight by', 'ä'];
    // "Zephyr" has two tokens of four bytes, the documents have two and one.
    const scene = startNumbers({ price });
    expect(await scene.rerank(documents)).toMatchObject({ usage: { cost: 0.000_14 } });
    const ranks = documents.map((_text, index) => ({ index, score: 1 }));
    const counted = startNumbers({ price, rerank: () => ({ ranks, cost: { usage: { inputTokens: 9 } } }) });
    expect((await counted.rerank(documents)).usage).toEqual({ total_tokens: 9, cost: 0.000_18 });
  });
});

describe('the money of embeddings', () => {
  const counting = (inputTokens: number | undefined) => (call: ProviderEmbed) => ({
    embeddings: call.inputs.map((_text, index) => ({ index, vector: [1, 2] })),
    cost: { usage: { inputTokens } },
  });

  it.each<[string, number | undefined, number]>([
    ['the tokens counted', 7, 7],
    ['a token for four bytes where none are counted', undefined, 4],
    ['the same where none are said to be there', 0, 4],
    ['the same where they are no number', Number.NaN, 4],
    ['the same where they are less than none', -3, 4],
  ])('is of %s', async (_what, inputTokens, tokens) => {
    const { embed, totals } = startNumbers({ embed: counting(inputTokens) });
    // Six bytes and five.
    const { usage } = await embed(['äöü', 'hello']);
    expect(usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens, cost: (tokens * 2) / 1e5 });
    expect((await totals()).usage).toBe(BigInt(tokens) * 20_000n);
  });

  it('in parts is of all parts, with an estimate of those that were not counted', async () => {
    const inputs = ['eight by', 'four', 'four'];
    const sums = startNumbers({ embed: counting(5), maxInputs: 1 });
    expect((await sums.embed(inputs)).usage).toEqual({ prompt_tokens: 15, total_tokens: 15, cost: 0.0003 });
    const partly = (call: ProviderEmbed) => counting(call.inputs[0] === 'four' ? 5 : 0)(call);
    const unsure = startNumbers({ embed: partly, maxInputs: 1 });
    expect((await unsure.embed(inputs)).usage).toEqual({ prompt_tokens: 12, total_tokens: 12, cost: 0.000_24 });
  });

  it.each<[string, OutcomeCost, OutcomeCost, bigint]>([
    ['costs that are told', { reported: 3n }, { reported: 4n }, 10n],
    ['tokens that are counted', { usage: { inputTokens: 2 } }, {}, 80_000n],
    ['tokens, also of the part that failed', { usage: { inputTokens: 2 } }, { usage: { inputTokens: 1 } }, 100_000n],
  ])('of parts before the one that fails is a loss: %s', async (_what, cost, { reported, usage }, loss) => {
    let parts = 0;
    const embed = (call: ProviderEmbed) => {
      parts += 1;
      if (parts < 3) return { ...counting(1)(call), cost };
      return new UpstreamError('upstream_error', { phase: 'body', status: 500, cost: reported, usage });
    };
    const scene = startNumbers({ embed, maxInputs: 2, limits: { maxConcurrent: 1 } });
    expect(await reasonOf(scene.embed(texts(9)))).toBe('upstream_error');
    expect(parts).toBe(3);
    expect((await scene.kinds()).slice(1)).toEqual([['loss', loss]]);
    expect(await scene.totals()).toMatchObject({ usage: 0n, held: 0n });
  });
});

describe('a request of embeddings that is refused as too many', () => {
  const refusal = new UpstreamError('query_rejected', { phase: 'headers', status: 413, cost: 7n, mayFitInParts: true });

  it('is a loss where its vendor bills it', async () => {
    const made = (inputs: readonly string[]) => inputs.map((_text, index) => ({ index, vector: [1, 2] }));
    const embed = ({ inputs }: ProviderEmbed) =>
      inputs.length > 2 ? refusal : { embeddings: made(inputs), cost: { reported: 5n } };
    const scene = startNumbers({ embed });
    expect((await scene.embed(texts(4))).data).toHaveLength(4);
    expect(scene.calls.map(({ inputs }) => inputs.length)).toEqual([4, 2, 2]);
    expect((await scene.kinds()).slice(1).flat()).toEqual(['loss', 7n, 'charge', 10n]);
  });

  it('is halved five times, and its cost is a loss where the call fails', async () => {
    const scene = startNumbers({ embed: () => refusal });
    expect(await reasonOf(scene.embed(texts(2_048)))).toBe('query_rejected');
    expect(scene.calls.map(({ inputs }) => inputs.length)).toEqual([2_048, 1_024, 512, 256, 128, 64]);
    expect((await scene.kinds()).slice(1)).toEqual([['loss', 42n]]);
  });
});

describe('the prices of reranks and embeddings', () => {
  it('are the host’s, for the units that the provider counts, whatever cost it tells', async () => {
    const ranks = [{ index: 0, score: 1 }];
    const embeddings = [{ index: 0, vector: [1, 2] }];
    const scene = startNumbers(
      {
        rerank: () => ({ ranks, cost: { reported: 1n, usage: { searchUnits: 2 } } }),
        embed: () => ({ embeddings, cost: { reported: 1n, usage: { inputTokens: 3 } } }),
      },
      { models: { 'vec/sort': { price: '0.003' }, 'vec/turn': { price: '50' } } },
    );
    expect((await scene.rerank(['a'])).usage.cost).toBe(0.006);
    expect((await scene.embed('a')).usage.cost).toBe(0.000_15);
  });

  it('are multiplied, and compared with the most that a caller wants to pay', async () => {
    const { rerank, embed, calls } = startNumbers({}, { markup: '1.5' });
    expect((await rerank(texts(101), { routing: { maxCost: '0.006' } })).usage.cost).toBe(0.006);
    expect(await reasonOf(rerank(texts(101), { routing: { maxCost: '0.0059' } }))).toBe('max_cost_exceeded');
    // Of 30 bytes, 38 tokens are held and eight are charged.
    const input = 'x'.repeat(30);
    expect(await reasonOf(embed(input, { routing: { maxCost: '0.00113' } }))).toBe('max_cost_exceeded');
    expect(calls).toEqual([]);
    expect((await embed(input, { routing: { maxCost: '0.00114' } })).usage.cost).toBe(0.000_24);
  });

  it('are what was held where the host absorbs the rest as a loss', async () => {
    const embeddings = [{ index: 0, vector: [1, 2] }];
    const embed = () => ({ embeddings, cost: { reported: 300_000n } });
    const scene = startNumbers({ embed }, { overrun: 'absorb' });
    // Three bytes are held as eleven tokens.
    expect((await scene.embed('abc')).usage.cost).toBe(0.000_22);
    expect((await scene.kinds()).slice(1)).toEqual([
      ['loss', 80_000n],
      ['charge', 220_000n],
    ]);
  });

  it('charge at most what is held, whatever a provider counts, and no call is held for what another one cost', async () => {
    const length = fc.integer({ min: 1, max: 2_000 });
    const counts = fc.record({
      lengths: fc.array(length, { minLength: 2, maxLength: 8 }),
      counted: fc.double({ min: 0, max: 50, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(counts, async ({ lengths, counted }) => {
        const { ledger, held } = recordingLedger();
        const embed = ({ inputs: [text = ''] }: ProviderEmbed) => ({
          embeddings: [{ index: 0, vector: [1, 2] }],
          cost: { usage: { inputTokens: Math.ceil(text.length * counted) } },
        });
        const scene = startNumbers({ embed }, { ledger });
        for (const [at, each] of lengths.entries()) {
          const { usage } = await scene.embed('x'.repeat(each));
          expect(held[at]).toBe(BigInt(each + 8) * 20_000n);
          expect(BigInt(Math.round(usage.cost * 1e9))).toBeLessThanOrEqual(held[at]!);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('the holds of reranks and embeddings', () => {
  const ranked =
    (cost: OutcomeCost, count: number): NonNullable<Numbers['rerank']> =>
    () => ({ ranks: texts(count).map((_text, index) => ({ index, score: index })), cost });
  const made =
    (costOf: (call: ProviderEmbed) => OutcomeCost): NonNullable<Numbers['embed']> =>
    (call) => ({ embeddings: call.inputs.map((_text, index) => ({ index, vector: [1, 2] })), cost: costOf(call) });

  it('bound what a budget pays where the host absorbs the rest, at every price, whatever is reported', async () => {
    const count = fc.option(fc.nat({ max: 100_000 }), { nil: undefined });
    const cost = fc
      .record({
        reported: fc.option(fc.bigInt({ min: 0n, max: 10n ** 10n }), { nil: undefined }),
        units: count,
        tokens: count,
      })
      .map(({ reported, units, tokens }) => ({ reported, usage: { searchUnits: units, inputTokens: tokens } }));
    const prices = fc.constantFrom<Partial<GatewayOptions>>(
      {},
      { models: { 'vec/sort': { price: '0.003' }, 'vec/turn': { price: '50' } } },
      { models: { 'vec/sort': { price: '0' }, 'vec/turn': { price: '0' } } },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cost, { minLength: 1, maxLength: 6 }), prices, async (costs, options) => {
        for (const kind of ['rerank', 'embed'] as const) {
          let call = 0;
          const next = () => costs[(call += 1) % costs.length]!;
          const scene = startNumbers(
            { rerank: () => ranked(next(), 2)(), embed: (asked) => made(next)(asked), maxInputs: 1 },
            { ...options, overrun: 'absorb', credits: '0.01' },
          );
          for (const _ of costs) await reasonOf(kind === 'rerank' ? scene.rerank(texts(2)) : scene.embed(texts(2)));
          const { usage, held } = await scene.totals();
          expect(usage >= 0n && usage <= 10_000_000n && held === 0n).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are of as many search units as a vendor makes of long documents', async () => {
    const { ledger, held } = recordingLedger();
    const more = { chunkTokens: 500, maxInputTokens: 4_096, maxDocuments: 1_000 };
    const scene = startNumbers({ more, rerank: ranked({ usage: { searchUnits: 25 } }, 500) }, { ledger });
    // With a query of 14 tokens a chunk has room for 486, of 1,998: five chunks. A document is cut at 4,096: nine.
    expect((await scene.rerank(texts(500).map((text) => text.padEnd(1_990, '1,2;')))).usage.cost).toBe(0.05);
    await scene.rerank(texts(500).map((text) => text.padEnd(1_000)));
    await scene.rerank([...texts(499), 'x'.repeat(200_000)]);
    // A query of half a chunk and more leaves half of each chunk.
    await scene.rerank(
      texts(500).map((text) => text.padEnd(600)),
      { query: 'x'.repeat(600) },
    );
    expect(held).toEqual([50_000_000n, 30_000_000n, 12_000_000n, 30_000_000n]);
  });

  it('are of the query with every document, and of the prompt of a model that is an LLM', async () => {
    const { ledger, held } = recordingLedger();
    const price = { perMillionTokens: '0.05' };
    const rerank = ranked({ usage: { inputTokens: 400 * 75 } }, 400);
    const scene = startNumbers({ price, more: { maxDocuments: 400 }, rerank }, { ledger });
    const words = texts(400).map(() => 'word');
    // 75 tokens a document are 25 times the estimate of 4 bytes.
    expect((await scene.rerank(words)).usage).toEqual({ total_tokens: 30_000, cost: 0.0015 });
    expect(held).toEqual([BigInt(400 * (14 + 12 + 100)) * 50n]);
    await scene.gateway.close();
    expect(scene.events.filter(({ type }) => type.startsWith('cost'))).toEqual([]);
  });

  it('are the most that a count is charged: the rest is a loss, and an event tells', async () => {
    const scene = startNumbers({ embed: made(() => ({ usage: { inputTokens: 1_000 } })) });
    expect((await scene.embed('a')).usage.cost).toBe(0.000_18);
    expect((await scene.kinds()).slice(1)).toEqual([
      ['loss', 991n * 20_000n],
      ['charge', 9n * 20_000n],
    ]);
    await scene.gateway.close();
    const told = { type: 'cost_implausible', reported: 20_000_000n, charged: 180_000n };
    expect(scene.events).toContainEqual(expect.objectContaining(told));
  });

  it('are at most what a model reads of a text, and so is an estimate that is charged', async () => {
    const { ledger, held } = recordingLedger();
    const price = { perMillionTokens: '20' };
    const scene = startNumbers({ price, more: { contextLength: 512 } }, { ledger });
    expect((await scene.rerank(['x'.repeat(100_000)])).usage.cost).toBe(0.010_28);
    expect(held).toEqual([BigInt(512 + 14 + 100) * 20_000n]);
  });

  it('follow the costs of the organization, never those of another', async () => {
    const { ledger, held } = recordingLedger();
    const embed = made(({ inputs: [text = ''] }) => ({ reported: BigInt(text.length) * 100_000n }));
    const scene = startNumbers({ embed }, { ledger });
    const other = { id: 'other-key', organizationId: 'other' };
    for (let call = 0; call < 5; call += 1) await scene.embed('x'.repeat(3_000));
    await scene.embed('x'.repeat(100));
    await scene.embed('x'.repeat(100), { apiKey: other });
    // Rounded up, in billionths of the first hold.
    const [first, later] = [3_008n * 20_000n, 300_000_001n];
    expect(held).toEqual([first, later, later, later, later, 10_771_277n, 108n * 20_000n]);
  });

  it('at a price of the host are charged for all parts, also for those that were not counted', async () => {
    const embed = made(({ inputs: [text] }) => (text === 'first' ? { usage: { inputTokens: 240 } } : {}));
    const models = { 'vec/turn': { price: '20' } };
    const input = ['first', 'x'.repeat(9_280)];
    const scene = startNumbers({ embed, maxInputs: 1 }, { models });
    // 240 tokens are counted, above the bound of one short text, not of both; 2,320 are estimated.
    expect((await scene.embed(input)).usage).toEqual({ prompt_tokens: 2_560, total_tokens: 2_560, cost: 0.0512 });
  });
});

/** A ledger that notes what is held. */
function recordingLedger(credits = '100') {
  const held: bigint[] = [];
  const memory = memoryLedger({ credits: { acme: credits, other: credits } });
  const ledger: Ledger = {
    ...memory,
    hold(hold) {
      held.push(hold.amount);
      return memory.hold(hold);
    },
  };
  return { ledger, held };
}

describe('an embedding model', () => {
  it.each<[object, string]>([
    [{ input: [] }, 'invalid_field'],
    [{ input: ['a', ''] }, 'invalid_field'],
    [{ input: [[1, 2]] }, 'invalid_field'],
    [{ input: texts(2_049) }, 'invalid_field'],
    [{ input: ['x'.repeat(600), 'x'.repeat(401)] }, 'request_too_large'],
    [{ encodingFormat: 'int8' }, 'invalid_field'],
    [{ inputType: 'image' }, 'invalid_field'],
    [{ dimensions: 3 }, 'unsupported_option'],
    [{ model: 'vec/other', dimensions: 1 }, 'unsupported_option'],
    [{ model: 'vec/long', dimensions: 2 }, 'unsupported_option'],
    [{ texts: ['a'] }, 'unsupported_field'],
    [{ stream: true }, 'unsupported_field'],
    [{ model: 'vec/sort' }, 'model_category_mismatch'],
  ])('is not asked with %j, which is refused as %s', async (more, reason) => {
    const scene = startNumbers({}, { endpoints: { embeddings: { maxInputCharacters: 1_000 } } });
    expect(await reasonOf(scene.embed('a', more))).toBe(reason);
    expect([scene.calls, (await scene.totals()).usage]).toEqual([[], 0n]);
  });

  it.each([
    [undefined, 3],
    [2, 2],
  ])('with the shortest vector %s of the host is asked for one of %s numbers', async (leastDimensions, dimensions) => {
    const vector = Array.from({ length: dimensions }, () => 1);
    const embed = () => ({ embeddings: [{ index: 0, vector }], cost: {} });
    const scene = startNumbers({ embed }, { models: { 'vec/long': { leastDimensions } } });
    await scene.embed('a', { model: 'vec/long', dimensions });
    expect(scene.calls).toMatchObject([{ dimensions }]);
  });

  it('is told the length and the role only where it knows them', async () => {
    const { embed, calls } = startNumbers({}, { endpoints: { embeddings: { defaultModel: 'vec/other' } } });
    await embed('a', { model: undefined, dimensions: 2, inputType: 'query' });
    await embed('a', { model: 'vec/turn', dimensions: 2, inputType: 'document' });
    expect(calls).toMatchObject([
      { dimensions: undefined, inputType: undefined },
      { dimensions: 2, inputType: 'document' },
    ]);
  });

  it('is called in process where its path is left to the host, and not listed as callable then', async () => {
    const { gateway, embed } = startNumbers({}, { endpoints: { embeddings: false } });
    expect((await embed('a')).data).toHaveLength(1);
    expect(gateway.models({ callable: true }).map(({ id }) => id)).toEqual(['vec/sort']);
  });

  it.each<[Partial<GatewayOptions>, string]>([
    [{ fallbacks: { 'vec/turn': ['vec/other'] } }, 'fallbacks["vec/turn"]'],
    [{ fallbacks: { 'vec/sort': ['vec/turn'] } }, 'fallbacks["vec/sort"][0]'],
    [{ groups: { vectors: { models: ['vec/turn', 'vec/other'] } } }, 'groups["vectors"].models'],
    [{ hedging: { 'vec/turn': { afterMs: 100, with: 'vec/other', maxExtraCost: '1' } } }, 'hedging["vec/turn"]'],
  ])('stands beside no other model: %j', (options, path) => {
    expect(() => startNumbers({}, options)).toThrow(ConfigurationError);
    expect(() => startNumbers({}, options)).toThrow(
      expect.objectContaining({ problems: expect.arrayContaining([expect.objectContaining({ path })]) }),
    );
  });

  it('is asked by an alias or a group of its own, and no other after it has failed', async () => {
    const { embed, calls, clock } = startNumbers(
      { embed: () => new UpstreamError('upstream_error', { phase: 'headers', status: 500 }) },
      {
        aliases: { turn: 'vec/turn' },
        groups: { vectors: { models: ['vec/turn'] } },
        maxAttempts: 2,
        cache: { ttlMs: 1 },
      },
    );
    expect(await reasonOf(embed('a', { routing: { fallbacks: ['vec/other'] } }))).toBe('unsupported_field');
    expect(calls).toEqual([]);
    for (const model of ['turn', 'vectors'])
      expect(await whileAdvancing(clock, reasonOf(embed('a', { model })))).toBe('upstream_error');
    expect(calls.map(({ model }) => model.slug)).toEqual(Array.from({ length: 4 }, () => 'vec/turn'));
  });

  it('is asked again for the same texts, as a rerank model is: neither is cached or shared', async () => {
    let reranks = 0;
    const rerank = () => {
      reranks += 1;
      return { ranks: [{ index: 0, score: 1 }], cost: {} };
    };
    const scene = startNumbers({ rerank }, { cache: { ttlMs: 60_000 }, coalescing: true });
    await Promise.all([scene.embed('a'), scene.embed('a'), scene.rerank(['a']), scene.rerank(['a'])]);
    await scene.embed('a');
    await scene.rerank(['a']);
    expect([scene.calls.length, reranks]).toEqual([3, 3]);
  });
});

describe('the bodies of reranks and embeddings', () => {
  it('take no place of other bodies while they arrive, and have places of their own', async () => {
    const { provider } = numbersOf({});
    const answers = scripted('exa', [OUTCOME]);
    const { gateway } = start([provider, answers.provider], { limit: null, maxBodyReads: 1, maxBodyReadsPerKey: 1 });
    const post = (path: string, readBody: GatewayRequest['readBody']) =>
      gateway.handle({ ...requestOf(path), readBody });
    const arriving: (() => void)[] = [];
    const later = () =>
      new Promise<{ parsed: object }>((resolve) =>
        arriving.push(() => resolve({ parsed: { model: 'vec/turn', input: 'a' } })),
      );
    const embeddings = Array.from({ length: 3 }, () => post('embeddings', later));
    const answer = await post('answer', () => Promise.resolve({ parsed: { model: 'exa/answer', query: 'When?' } }));
    expect(answer?.status).toBe(200);
    for (const arrive of arriving) arrive();
    expect((await Promise.all(embeddings)).map((response) => response?.status)).toEqual([200, 200, 200]);
  });
});
