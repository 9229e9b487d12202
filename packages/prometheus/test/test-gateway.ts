import { createGateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { type AnswerOutcome, type Provider, UpstreamError } from '@searchgate/core/provider-kit';

const KEY = 'a-secret-of-twenty-characters';
export const MODEL = 'handbook/answer';
export const OUTCOME: AnswerOutcome = {
  text: 'Thirty days.',
  citations: [],
  cost: { usage: { inputTokens: 40, outputTokens: 5 } },
};

/** A provider with answers from the test. */
function handbook(answer: () => Promise<AnswerOutcome>): Provider {
  const price = { kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-23', confidence: 'high' } as const;
  const facts = { name: 'Handbook', description: 'Knows the handbook.', contextLength: null, timeoutMs: 10_000 };
  const models = [{ ...facts, slug: MODEL, prices: [price], features: [] }];
  return { id: 'handbook', name: 'Handbook', models, answer: { answer } };
}

/** A gateway with one provider. */
export function startGateway(
  answer: () => Promise<AnswerOutcome> = () => Promise.resolve(OUTCOME),
  options: Partial<GatewayOptions> = {},
) {
  const gateway = createGateway({
    providers: [handbook(answer)],
    ledger: memoryLedger({ credits: { acme: '1000' } }),
    apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'demo', organizationId: 'acme' }]),
    ...options,
  });
  const ask = (model = MODEL) => gateway.answer({ apiKey: KEY, model, query: 'How much leave do I get?' });
  return { gateway, ask };
}

export const failure = () => Promise.reject(new UpstreamError('upstream_error', { phase: 'headers', status: 500 }));
