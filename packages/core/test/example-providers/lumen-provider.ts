import * as kit from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { reduceLumen } from './lumen-reduce.js';

const MODELS: readonly kit.ModelRow[] = [
  {
    slug: 'lumen/answer',
    name: 'Lumen',
    description: 'Answers from the web.',
    prices: [{ kind: 'flat', request: '0.004', source: 'its price page', asOf: '2026-11-23', confidence: 'high' }],
    features: ['citations', 'streaming'],
    options: { includeDomains: { as: 'sites' }, freshness: { as: 'since' } },
    contextLength: null,
    timeoutMs: 30_000,
  },
];

const settings = z.strictObject(kit.commonSettings('https://lumen.example.com', MODELS));
const fault = z.object({ kind: kit.optional.text, why: kit.optional.text });

/** A service with its own error envelope and stream, and two search options. */
export function lumen(options: kit.ProviderSettings): kit.Provider {
  const { models, common, connection } = kit.parseProviderSettings(settings, options, 'lumen');
  const answer = kit.jsonAnswer(connection, {
    path: '/v1/ask',
    authorize: kit.keyHeader('x-lumen-key'),
    errors: [{ code: 'quota', reason: 'upstream_quota_exhausted' }],
    errorReply: z.object({ fault }).transform((body) => ({ code: body.fault.kind, message: body.fault.why })),
    reply: z.object({ answer: z.string(), pages: kit.optional.addresses, usd: kit.optional.amount }),
    completeness: 'valid JSON',
    reduce: reduceLumen,
    streamField: 'stream',
    request: ({ query, search = {} }) => ({
      question: query,
      ...kit.definedFields({ sites: search.includeDomains, since: kit.firstDay(search) }),
    }),
    outcome: ({ body }) =>
      kit.composeAnswer({ text: body.answer, sources: body.pages, cost: kit.outcomeCost(body.usd) }),
  });
  return { id: 'lumen', name: 'Lumen', models, ...common, answer };
}
