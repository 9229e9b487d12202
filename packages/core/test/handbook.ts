import {
  commonSettings,
  composeAnswer,
  jsonEndpoint,
  looseList,
  type ModelRow,
  optional,
  outcomeCost,
  type Provider,
  parseProviderSettings,
} from '@searchgate/core/provider-kit';
import type { ProviderSettings } from '@searchgate/core/providers';
import { z } from 'zod';

const FACTS = {
  prices: [{ kind: 'flat', request: '0.001', source: 'our own', asOf: '2026-11-21', confidence: 'high' }],
  timeoutMs: 10_000,
} as const;
const ANSWER: ModelRow = {
  ...FACTS,
  slug: 'handbook/answer',
  name: 'Employee handbook',
  description: 'Answers from the employee handbook.',
  features: ['citations'],
};
const SEARCH: ModelRow = {
  ...FACTS,
  slug: 'handbook/search',
  name: 'Pages of the employee handbook',
  description: 'Finds pages of the employee handbook.',
  features: [],
  maxResults: 20,
};

const settings = z.strictObject(commonSettings('https://handbook.example.com', { answer: [ANSWER], search: [SEARCH] }));

const found = z.object({
  sources: looseList(z.object({ url: optional.text, title: optional.text, excerpt: optional.text })),
  costUsd: optional.amount,
});
const reply = found.extend({ id: optional.text, answer: z.string() });
const pagesOf = ({ sources }: z.output<typeof found>) =>
  sources.map(({ url, title, excerpt }) => ({ url, title, snippet: excerpt }));

export function handbook(options: ProviderSettings): Provider {
  const { models, modelsOf, common, connection } = parseProviderSettings(settings, options, 'handbook');
  const errors = [{ status: 400, code: 'question_too_long', reason: 'query_rejected' }] as const;
  const shared = { errors, completeness: 'valid JSON' } as const;
  const ask = jsonEndpoint(connection, { ...shared, path: '/ask', reply });
  const find = jsonEndpoint(connection, { ...shared, path: '/find', reply: found });
  return {
    id: 'handbook',
    name: 'Employee handbook',
    models,
    ...common,
    answer: {
      async answer({ query }, context) {
        const { body } = await ask({ question: query }, context);
        const cost = outcomeCost(body.costUsd);
        return composeAnswer({ text: body.answer, sources: pagesOf(body), cost, upstreamRequestId: body.id });
      },
    },
    search: {
      models: modelsOf.search,
      async search({ query, maxResults }, context) {
        const { body } = await find({ question: query, limit: maxResults }, context);
        return { results: pagesOf(body), cost: outcomeCost(body.costUsd) };
      },
    },
  };
}
