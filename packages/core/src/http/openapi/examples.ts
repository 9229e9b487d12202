import type { AnswerBody, AnswerStatusBody, CreditsBody, KeyBody, ModelsBody, UsageBody } from '../success-bodies.js';

const HEAD = { id: 'ans_01M7YFX2222TA0797FDHDYZR0C', model: 'exa/answer', provider: 'exa' };
const CITATIONS = [
  { title: 'Zephyr Bridge opens', url: 'https://example.org/zephyr', snippet: 'Opened on 14 May…' },
] as const;

const ANSWER: AnswerBody = {
  ...HEAD,
  answer: 'It opened in May 2021 [1].',
  citations: CITATIONS,
  usage: { cost: 0.005 },
};
const MODELS: ModelsBody = {
  data: [
    {
      id: 'exa/answer',
      name: 'Exa Answer',
      category: 'answer',
      provider: 'exa',
      description: 'Answers with citations.',
      pricing: { unit: 'USD', request: '0.005' },
      search_types: null,
      features: ['citations', 'streaming'],
      options: ['include_domains', 'exclude_domains'],
      max_results: null,
      dimensions: null,
      max_input_tokens: null,
      context_length: null,
    },
  ],
};
const CREDITS: CreditsBody = { total_credits: 25, total_usage: 0.0278 };
const KEY: KeyBody = {
  label: 'Website',
  usage: 0.0278,
  limit: 5,
  limit_remaining: 4.9722,
  limit_reset: 'monthly',
  resets_at: '2026-12-01T00:00:00Z',
  rate_limit: { requests: 60, period_seconds: 60, remaining: 59 },
  max_concurrent: 4,
};
const USAGE: UsageBody = {
  data: [
    { day: '2026-11-20', requests: 4, cost: 0.0228 },
    { day: '2026-11-21', requests: 1, cost: 0.005 },
  ],
  total: { requests: 5, cost: 0.0278 },
};
const ANSWER_STATUS: AnswerStatusBody = {
  ...HEAD,
  status: 'charged',
  cost: 0.005,
  created_at: '2026-11-21T09:30:00Z',
  ended_at: '2026-11-21T09:30:02Z',
};
const STREAM = [
  ['start', HEAD],
  ['citations', { citations: CITATIONS }],
  ['delta', { text: 'It opened in' }],
  ['delta', { text: ' May 2021 [1].' }],
  ['done', ANSWER],
].map(([event, data]) => `event: ${event as string}\ndata: ${JSON.stringify(data)}\n\n`);

/** What a call can be answered with. */
export const RESPONSE_EXAMPLES = { ANSWER, MODELS, CREDITS, KEY, USAGE, ANSWER_STATUS, STREAM: STREAM.join('') };

const QUESTION = { model: 'exa/answer', query: 'When did the Zephyr Bridge open?' };

/** What can be asked. */
export const REQUEST_EXAMPLES = {
  question: { summary: 'A question', value: QUESTION },
  stream: { summary: 'As events while it is written', value: { ...QUESTION, stream: true } },
  search: {
    summary: 'From recent pages of one site',
    value: { ...QUESTION, search: { include_domains: ['example.org'], freshness: 'month' } },
  },
  routing: {
    summary: 'By the cheapest of two models, for a cent at the most',
    value: { ...QUESTION, routing: { fallbacks: ['perplexity/sonar'], sort: 'price', max_cost: '0.01' } },
  },
};
