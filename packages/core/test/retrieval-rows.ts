import type { PortFixture } from '@searchgate/testing';
import type { OutcomeCost, Provider } from '../src/provider-kit/index.js';

/** Two vectors of two numbers, as base64 of little-endian floats of 32 bits and as numbers. */
export const BASE64 = ['AACAPwAAAEA=', 'AABAQAAAgEA='];
export const NUMBERS = [
  [1, 2],
  [3, 4],
];

/** A list in the form of OpenAI's API. */
export const dataOf = (vectors: readonly unknown[]) =>
  vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));

/** Two ranks, the second document first. @param score the vendor's name of the score. */
export const ranksOf = (score: 'relevance_score' | 'score' = 'relevance_score') => [
  { index: 1, [score]: 0.93 },
  { index: 0, [score]: -0.02 },
];

interface Replied {
  readonly reply: object;
  readonly cost: OutcomeCost;
  readonly upstreamRequestId?: string;
}

type Create = (settings: { apiKey: string }) => Provider;

/** A reply with two ranks, of every rerank model. */
export function rerankFixtures(create: Create, { reply, cost, upstreamRequestId }: Replied): PortFixture<'rerank'>[] {
  const ranks = [
    { index: 1, score: 0.93 },
    { index: 0, score: -0.02 },
  ];
  const outcome = { ranks, cost, ...(upstreamRequestId && { upstreamRequestId }) };
  const models = create({ apiKey: 'k' }).rerank?.models ?? [];
  return models.map(({ slug: model }) => ({ kind: 'rerank', name: 'ranks', model, reply, outcome }));
}

/** A reply with two vectors, of every embedding model. @param replied `vectors`: as the port gives them. */
export function embedFixtures(
  create: Create,
  replied: Replied & { readonly vectors?: readonly Vector[] },
): PortFixture<'embed'>[] {
  const { reply, cost, upstreamRequestId, vectors = BASE64 } = replied;
  const embeddings = vectors.map((vector, index) => ({ index, vector }));
  const outcome = { embeddings, cost, ...(upstreamRequestId && { upstreamRequestId }) };
  const models = create({ apiKey: 'k' }).embed?.models ?? [];
  return models.map(({ slug: model }) => ({ kind: 'embed', name: 'vectors', model, reply, outcome }));
}

type Vector = string | readonly number[];
