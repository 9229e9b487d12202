import {
  bearer,
  commonSettings,
  composeAnswer,
  jsonEndpoint,
  type ModelRow,
  optional,
  outcomeCost,
  type Provider,
  parseProviderSettings,
} from '@searchgate/core/provider-kit';
import type { ProviderSettings } from '@searchgate/core/providers';
import { z } from 'zod';

const MODELS: readonly ModelRow[] = [
  {
    slug: 'handbook/answer',
    name: 'Employee handbook',
    description: 'Answers from the employee handbook.',
    prices: [{ kind: 'flat', request: '0.001', source: 'our own', asOf: '2026-11-21', confidence: 'high' }],
    features: ['citations'],
    contextLength: null,
    timeoutMs: 10_000,
  },
];

const settings = z.strictObject(commonSettings('https://handbook.example.com', MODELS));

const reply = z.object({
  id: optional.text,
  answer: z.string(),
  sources: optional.list(z.object({ url: optional.text, title: optional.text, excerpt: optional.text })),
  costUsd: optional.amount,
});

export function handbook(options: ProviderSettings): Provider {
  const { models, common, connection } = parseProviderSettings(settings, options, 'handbook');
  const errors = [{ status: 400, code: 'question_too_long', reason: 'query_rejected' }] as const;
  const ask = jsonEndpoint(connection, { path: '/ask', authorize: bearer, errors, reply, completeness: 'valid JSON' });
  return {
    id: 'handbook',
    name: 'Employee handbook',
    models,
    ...common,
    answer: {
      async answer({ query }, context) {
        const { body } = await ask({ question: query }, context);
        const sources = body.sources.map(({ url, title, excerpt }) => ({ url, title, snippet: excerpt }));
        const cost = outcomeCost(body.costUsd);
        return composeAnswer({ text: body.answer, sources, cost, upstreamRequestId: body.id });
      },
    },
  };
}
