import {
  assertComplete,
  bearer,
  chatCompletion,
  chatFinish,
  commonSettings,
  composeAnswer,
  jsonAnswer,
  type ModelRow,
  outcomeCost,
  type Provider,
  parseProviderSettings,
  readChatCompletion,
  reduceChat,
} from '@searchgate/core/provider-kit';
import type { ProviderSettings } from '@searchgate/core/providers';
import { z } from 'zod';

const MODELS: readonly ModelRow[] = [
  {
    slug: 'wiki/answer',
    name: 'Company wiki',
    description: 'Answers from the company wiki.',
    prices: [{ kind: 'flat', request: '0.001', source: 'our own', asOf: '2026-11-22', confidence: 'high' }],
    features: ['citations', 'streaming'],
    contextLength: null,
    timeoutMs: 30_000,
  },
];

const settings = z.strictObject(commonSettings('https://wiki.example.com', MODELS));

const reduce = reduceChat({
  // One chunk lists the pages, before the text whose markers count them.
  sources: ({ citations }) => chatCompletion.shape.citations.parse(citations) ?? [],
  usageIsLast: true,
});

export function wiki(options: ProviderSettings): Provider {
  const { models, common, connection } = parseProviderSettings(settings, options, 'wiki');
  const answer = jsonAnswer(connection, {
    path: '/v1/chat/completions',
    authorize: bearer,
    errors: [],
    reply: chatCompletion,
    completeness: chatFinish,
    reduce,
    streamField: 'stream',
    request: ({ query }, isLive) => ({
      model: 'wiki-1',
      messages: [{ role: 'user', content: query }],
      ...(isLive && { stream_options: { include_usage: true } }),
    }),
    outcome({ body, finish, failure }) {
      const { text, citations, usage } = readChatCompletion(body);
      const cost = outcomeCost(undefined, usage);
      assertComplete({ finish, failure }, cost);
      const { id: upstreamRequestId, model: servedModel } = body;
      return composeAnswer({ text, sources: citations ?? [], cost, upstreamRequestId, servedModel });
    },
  });
  return { id: 'wiki', name: 'Company wiki', models, ...common, answer };
}
