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
import { ANSWER, BRIEF, BRIEF_ANSWER, CUT, MODEL, rowsOf, USAGE_COST } from '../chat.mjs';
import { PAGE, QUERY } from '../row.mjs';

const BASE = ['`baseURL`: `BASE`', '`apiKey`'];

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@ai-sdk/openai': [...BASE, 'With `ai` 7. The cost is in `usage.raw` of responses.'],
  '@ai-sdk/openai3': [...BASE, 'With `ai` 6, as above.'],
  '@ai-sdk/openai2': [...BASE, 'With `ai` 5. It drops the cost.'],
  '@openrouter/ai-sdk-provider': [...BASE, 'With `ai` 7.'],
  '@ai-sdk/perplexity': [...BASE, `With \`ai\` 7. ${USAGE_COST}`],
  '@ai-sdk/perplexity3': [...BASE, 'With `ai` 6, as above.'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, perplexity, apiKey }) {
  const options = { baseURL: base, apiKey };
  const ofPerplexity = { baseURL: perplexity, apiKey };
  return [
    ...ofOpenAi('@ai-sdk/openai2', ai5, createOpenAI2(options)),
    ...ofOpenAi('@ai-sdk/openai3', ai6, createOpenAI3(options)),
    ...ofOpenAi('@ai-sdk/openai', ai7, createOpenAI(options)),
    ...rowsOf('@openrouter/ai-sdk-provider', callsOf(ai7, createOpenRouter(options)(MODEL))),
    ...rowsOf('@ai-sdk/perplexity3', callsOf(ai6, createPerplexity3(ofPerplexity)(MODEL))),
    ...rowsOf('@ai-sdk/perplexity', callsOf(ai7, createPerplexity(ofPerplexity)(MODEL))),
  ];
}

function ofOpenAi(client, ai, provider) {
  const cost = ai === ai5 ? null : 0.005;
  const search = { model: provider(MODEL), prompt: QUERY, tools: { web_search: provider.tools.webSearch() } };
  return rowsOf(client, {
    ...callsOf(ai, provider.chat(MODEL), { cost: null }),
    ...callsOf(ai, provider.responses(MODEL), { api: 'responses', cost }),
    'responses: streamText with a search': [() => whole(ai.streamText(search)), read, [ANSWER, 'stop', 0, cost]],
  });
}

/** @param {{ api?: string, cost?: number | null }} [shown] the cost as the client shows it */
function callsOf(ai, model, { api = 'chat', cost = 0.005 } = {}) {
  const question = { model, prompt: QUERY, maxRetries: 0 };
  const told = { ...question, system: BRIEF };
  const limited = { ...told, maxOutputTokens: CUT };
  const inJson = { ...question, schema: z.object({ year: z.number() }) };
  return {
    [`${api}: generateText`]: [() => ai.generateText(question), read, [ANSWER, 'stop', 0, cost]],
    [`${api}: generateText with a limit`]: [() => ai.generateText(limited), read, [BRIEF_ANSWER, 'length', 0, cost]],
    [`${api}: streamText`]: [() => whole(ai.streamText(told)), read, [BRIEF_ANSWER, 'stop', 0, cost]],
    [`${api}: streamText with a limit`]: [() => whole(ai.streamText(limited)), read, [BRIEF_ANSWER, 'length', 0, cost]],
    [`${api}: generateObject`]: [() => ai.generateObject(inJson), ofObject, [{ year: 2021 }, 'stop']],
  };
}

const ofObject = ({ object, finishReason }) => [object, finishReason, PAGE];

function read({ text, finishReason, usage: { totalTokens, raw }, sources }) {
  return [text, finishReason, totalTokens, raw?.cost?.total_cost ?? raw?.cost ?? null, sources[0].url];
}

async function whole(result) {
  const names = ['text', 'finishReason', 'usage', 'sources'];
  const values = await Promise.all(names.map((name) => result[name]));
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}
