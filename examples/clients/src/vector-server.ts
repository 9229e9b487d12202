import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { Provider, ProviderEmbed, ProviderRerank } from '@searchgate/core/provider-kit';
import { serve } from '@searchgate-examples/recipes/testing';
import { SECRET } from './test-server.js';

export const RERANK_MODEL = 'words/rerank';
export const EMBED_MODEL = 'words/embed';
/** The length of a vector, that of the most common model. */
export const DIMENSIONS = 1_536;

/** As many floats of 32 bits as are wanted, which differ from text to text, and have no short form in decimals. */
export function vectorOf(text: string, dimensions: number = DIMENSIONS): number[] {
  return Array.from({ length: dimensions }, (_, at) => Math.fround(Math.sin((text.length + 1) * (at + 1))));
}

/** The part of the words of a query that a document has. */
function scoreOf(query: string, document: string): number {
  const words = query.split(' ');
  return words.filter((word) => document.includes(word)).length / words.length;
}

/** A server whose provider counts words and needs no network, and the calls that reached this provider. */
export async function startVectorServer() {
  const reranks: ProviderRerank[] = [];
  const embeds: ProviderEmbed[] = [];
  const row = { name: 'Words', contextLength: null, timeoutMs: 20_000 };
  const source = { kind: 'flat', source: 'our own', asOf: '2026-11-27', confidence: 'high' } as const;
  const words: Provider = {
    id: 'words',
    name: 'Words',
    models: [],
    rerank: {
      models: [
        {
          ...row,
          slug: RERANK_MODEL,
          description: 'Counts words.',
          prices: [{ ...source, perSearchUnit: '0.002' }],
          features: [],
        },
      ],
      rerank(call) {
        reranks.push(call);
        const ranks = call.documents.map((document, index) => ({ index, score: scoreOf(call.query, document) }));
        return Promise.resolve({ ranks, cost: { usage: { searchUnits: 1 } } });
      },
    },
    embed: {
      models: [
        {
          ...row,
          slug: EMBED_MODEL,
          description: 'Makes waves.',
          prices: [{ ...source, perMillionTokens: '0.02' }],
          features: ['dimensions_param', 'input_type'],
          dimensions: DIMENSIONS,
        },
      ],
      maxInputs: 2_048,
      embed(call) {
        embeds.push(call);
        const embeddings = call.inputs.map((text, index) => {
          const { buffer } = new Float32Array(vectorOf(text, call.dimensions));
          return { index, vector: Buffer.from(buffer).toString('base64') };
        });
        return Promise.resolve({ embeddings, cost: { usage: { inputTokens: 7 * call.inputs.length } } });
      },
    },
  };
  const gateway = createGateway({
    providers: [words],
    ledger: memoryLedger({ credits: { acme: '1.00' } }),
    apiKeys: memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]),
  });
  const { url, close: closeServer } = await serve(gateway);
  const close = async () => {
    await closeServer();
    await gateway.close();
  };
  return { url, reranks, embeds, close };
}

export type VectorServer = Awaited<ReturnType<typeof startVectorServer>>;
