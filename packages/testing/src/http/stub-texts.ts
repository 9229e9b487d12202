import type {
  EmbedCall,
  EmbedOutcome,
  EmbedPort,
  ModelRow,
  RerankCall,
  RerankOutcome,
  RerankPort,
  UnitRates,
} from '@searchgate/core/provider-kit';

const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-01-01', confidence: 'high' } as const;

function row(name: string, price: UnitRates): ModelRow {
  return {
    slug: `stub/${name}`,
    name: `Stub ${name}`,
    description: `Reads numbers (${name}).`,
    prices: [{ ...SOURCE, kind: 'flat', ...price }],
    features: [],
    contextLength: null,
    timeoutMs: 30_000,
  };
}

/** The score of a document is the number that it is. */
export function stubRerank(obey: (query: string) => Promise<void>): RerankPort {
  return {
    models: [
      row('sort', { perSearchUnit: '0.002' }),
      { ...row('sort-few', { perSearchUnit: '0.001' }), maxDocuments: 2 },
    ],
    async rerank({ query, documents }: RerankCall): Promise<RerankOutcome> {
      await obey(query);
      const ranks = documents.map((text, index) => ({ index, score: Number(text) }));
      return { ranks, cost: { usage: { searchUnits: Math.ceil(documents.length / 100) } } };
    },
  };
}

const ROLES = { query: 1, document: 2 };

/**
 * The vector of a text: the number that it is, the role, and zeros; without the feature `dimensions_param` as numbers, else in base64. Each text has three
 * tokens.
 */
export const STUB_EMBED: EmbedPort = {
  models: [
    { ...row('embed', { perMillionTokens: '1000' }), features: ['dimensions_param', 'input_type'], dimensions: 2_048 },
    { ...row('embed-plain', { perMillionTokens: '1000' }), dimensions: 2 },
  ],
  maxInputs: 2,
  embed({ model, inputs, inputType, dimensions = model.dimensions }: EmbedCall): Promise<EmbedOutcome> {
    const embeddings = inputs.map((text, index) => {
      const numbers = new Float32Array(dimensions ?? 0);
      numbers.set([Number(text), inputType === undefined ? 0 : ROLES[inputType]]);
      const isPlain = model.features.length === 0;
      return { index, vector: isPlain ? [...numbers] : Buffer.from(numbers.buffer).toString('base64') };
    });
    return Promise.resolve({
      embeddings: embeddings.toReversed(),
      cost: { usage: { inputTokens: 3 * inputs.length } },
    });
  },
};
