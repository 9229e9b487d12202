import type { EmbedPort, KindPorts, RerankPort, UnitRates } from '@searchgate/core/provider-kit';
import { pricedRow } from './stub-pages.js';

const flat = (name: string, rates: UnitRates) => pricedRow(name, { kind: 'flat', ...rates });

/** The ports for texts. @param obey waits or fails if the query says so. */
export function stubTexts(obey: (query: string) => Promise<void>): KindPorts {
  return { rerank: stubRerank(obey), embed: STUB_EMBED };
}

/** The score of a document is the number that it is. */
function stubRerank(obey: (query: string) => Promise<void>): RerankPort {
  const few = { ...flat('sort-few', { perSearchUnit: '0.001' }), maxDocuments: 2 };
  return {
    models: [flat('sort', { perSearchUnit: '0.002' }), few],
    async rerank({ query, documents }) {
      await obey(query);
      const ranks = documents.map((text, index) => ({ index, score: Number(text) }));
      return { ranks, cost: { usage: { searchUnits: Math.ceil(documents.length / 100) } } };
    },
  };
}

const ROLES = { query: 1, document: 2 };

/** The vector of a text is the number that it is, its role, and zeros. Each text has three tokens. */
const STUB_EMBED: EmbedPort = {
  models: [
    { ...flat('embed', { perMillionTokens: '1000' }), features: ['dimensions_param', 'input_type'], dimensions: 2_048 },
  ],
  maxInputs: 2,
  embed({ model, inputs, inputType, dimensions = model.dimensions }) {
    const embeddings = inputs.map((text, index) => {
      const numbers = new Float32Array(dimensions ?? 0);
      numbers.set([Number(text), inputType === undefined ? 0 : ROLES[inputType]]);
      return { index, vector: Buffer.from(numbers.buffer).toString('base64') };
    });
    const cost = { usage: { inputTokens: 3 * inputs.length } };
    return Promise.resolve({ embeddings: embeddings.toReversed(), cost });
  },
};
