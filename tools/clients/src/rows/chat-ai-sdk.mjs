import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI2 } from '@ai-sdk/openai2';
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai3';
import { createPerplexity } from '@ai-sdk/perplexity';
import { createPerplexity as createPerplexity3 } from '@ai-sdk/perplexity3';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import * as ai6 from 'ai';
import * as ai5 from 'ai5';
import * as ai7 from 'ai7';
import { z } from 'zod';
import { ANSWER, BRIEF, BRIEF_ANSWER, CUT, MODEL, PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@ai-sdk/openai': [
    '`baseURL`: `BASE`',
    '`apiKey`',
    'With `ai` 7. Without tools of functions. The cost is in `usage.raw` of responses.',
  ],
  '@ai-sdk/openai3': ['`baseURL`: `BASE`', '`apiKey`', 'With `ai` 6, else as above.'],
  '@ai-sdk/openai2': ['`baseURL`: `BASE`', '`apiKey`', 'With `ai` 5, else as above, but without a cost.'],
  '@openrouter/ai-sdk-provider': ['`baseURL`: `BASE`', '`apiKey`', 'With `ai` 7.'],
  '@ai-sdk/perplexity': [
    '`baseURL`: `BASE`',
    '`apiKey`',
    "With `ai` 7 and `chatCompletions({ usageCost: 'object' })`.",
  ],
  '@ai-sdk/perplexity3': [
    '`baseURL`: `BASE`',
    '`apiKey`',
    "With `ai` 6 and `chatCompletions({ usageCost: 'object' })`.",
  ],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, perplexity, apiKey }) {
  const options = { baseURL: base, apiKey };
  const openAi = (client, ai, create) => {
    const provider = create(options);
    // Chat drops the cost, and `ai` 5 all costs.
    const cost = ai === ai5 ? undefined : 0.005;
    return [
      ...ofModel({ client, ai, model: provider.chat(MODEL), cost: undefined }),
      ...ofModel({ client, ai, model: provider.responses(MODEL), api: 'responses', cost }),
      searching({ client, ai, provider, cost }),
    ];
  };
  const ofPerplexity = { baseURL: perplexity, apiKey };
  return [
    ...openAi('@ai-sdk/openai2', ai5, createOpenAI2),
    ...openAi('@ai-sdk/openai3', ai6, createOpenAI3),
    ...openAi('@ai-sdk/openai', ai7, createOpenAI),
    ...ofModel({
      client: '@openrouter/ai-sdk-provider',
      ai: ai7,
      model: createOpenRouter(options)(MODEL),
      cost: 0.005,
    }),
    ...ofModel({ client: '@ai-sdk/perplexity3', ai: ai6, model: createPerplexity3(ofPerplexity)(MODEL), cost: 0.005 }),
    ...ofModel({ client: '@ai-sdk/perplexity', ai: ai7, model: createPerplexity(ofPerplexity)(MODEL), cost: 0.005 }),
  ];
}

/** @returns {import('../row.mjs').Row[]} */
function ofModel({ client, ai, model, api = 'chat', cost }) {
  const question = { model, prompt: QUERY, maxRetries: 0 };
  return [
    {
      client,
      what: `${api}: generateText`,
      call: () => ai.generateText(question),
      shown: shows(ANSWER, 'stop', cost),
    },
    {
      client,
      what: `${api}: generateText with a system text and a limit`,
      call: () => ai.generateText({ ...question, system: BRIEF, maxOutputTokens: CUT }),
      shown: shows(BRIEF_ANSWER, 'length', cost),
    },
    {
      client,
      what: `${api}: streamText with a system text`,
      call: () => streamed(ai.streamText({ ...question, system: BRIEF })),
      shown: shows(BRIEF_ANSWER, 'stop', cost),
    },
    {
      client,
      what: `${api}: generateObject`,
      call: () => ai.generateObject({ ...question, schema: z.object({ year: z.number() }) }),
      shown: ({ object, finishReason }) => object.year === 2021 && finishReason === 'stop' && PAGE,
    },
  ];
}

/** @returns {import('../row.mjs').Row} */
const searching = ({ client, ai, provider, cost }) => ({
  client,
  what: 'responses: streamText with the tool for searches',
  call: () => {
    const tools = { web_search: provider.tools.webSearch() };
    return streamed(ai.streamText({ model: provider(MODEL), prompt: QUERY, tools, maxRetries: 0 }));
  },
  shown: shows(ANSWER, 'stop', cost),
});

async function streamed(result) {
  const fields = [result.text, result.finishReason, result.sources, result.usage];
  const [text, finishReason, sources, usage] = await Promise.all(fields);
  return { text, finishReason, sources, usage };
}

const shows =
  (expected, finish, cost) =>
  ({ text, finishReason, sources, usage }) =>
    text === expected &&
    finishReason === finish &&
    usage.totalTokens === 0 &&
    (usage.raw?.cost?.total_cost ?? usage.raw?.cost) === cost &&
    sources[0].url;
