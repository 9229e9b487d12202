import type { AnswerModel, Provider } from '@searchgate/core/provider-kit';
import { FLAT, type LoopbackReply, METERED } from '../upstream-dialects.js';

const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-11-21', confidence: 'high' } as const;
const PRICE = '0.005';

/** Asks the question server of the test process over HTTP: a provider like any other, except for its address. */
export function loopbackProvider(upstreamUrl: string, timeoutMs: number): Provider {
  const url = new URL(upstreamUrl);
  const model = (slug: string): Omit<AnswerModel, 'prices'> => ({
    slug,
    name: slug,
    description: 'Answers from the test process.',
    features: [],
    contextLength: null,
    timeoutMs,
  });
  return {
    id: 'loopback',
    name: 'Loopback',
    models: [
      { ...model(FLAT), prices: [{ ...SOURCE, kind: 'flat', request: PRICE }] },
      // Every call is held at the ceiling and costs a little less, a different amount each time: charges name the call they are of.
      { ...model(METERED), prices: [{ ...SOURCE, kind: 'dynamic', typical: PRICE, ceiling: PRICE }] },
    ],
    answer: {
      async answer({ model: { slug }, query }, { upstream }) {
        const json = { model: slug, question: query };
        const response = await upstream.send({ method: 'POST', url, headers: {}, json });
        const { answer, reportedNanos } = JSON.parse(response.text) as LoopbackReply;
        const cost = reportedNanos === undefined ? {} : { reported: BigInt(reportedNanos) };
        return { text: answer, citations: [], cost };
      },
    },
  };
}
