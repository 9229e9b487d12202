import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import OpenAI6 from 'openai6';
import { zodResponseFormat as zodResponseFormat6 } from 'openai6/helpers/zod';
import { z } from 'zod';
import { BRIEF, CUT, LIMITED, MODEL, ofChat, ofResponse, rowsOf, TOLD, WHOLE } from '../chat.mjs';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  openai: ['`baseURL`: `BASE`', '`apiKey`', ''],
  openai6: ['`baseURL`: `BASE`', '`apiKey`', ''],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const options = { baseURL: base, apiKey, maxRetries: 0 };
  return [
    ...ofClient('openai', new OpenAI(options), zodResponseFormat),
    ...ofClient('openai6', new OpenAI6(options), zodResponseFormat6),
  ];
}

const USER = { role: 'user', content: QUERY };
const SYSTEM = { role: 'system', content: BRIEF };
const DEVELOPER = { role: 'developer', content: [{ type: 'text', text: BRIEF }] };

function ofClient(client, { chat: { completions }, responses, embeddings }, formatOf) {
  const chat = { model: MODEL, messages: [USER] };
  const told = { model: MODEL, messages: [SYSTEM, USER], stream_options: { include_usage: true } };
  const limited = { model: MODEL, messages: [DEVELOPER, USER], max_completion_tokens: CUT };
  const inJson = { ...chat, response_format: formatOf(z.object({ year: z.number() }), 'opening') };
  const question = { model: MODEL, input: QUERY };
  const toSearch = { ...question, tools: [{ type: 'web_search' }] };
  const toTell = { ...question, instructions: BRIEF };
  const toCut = { ...question, instructions: BRIEF, max_output_tokens: CUT };
  const texts = { model: 'house/embed', input: QUERY, dimensions: 4 };
  return rowsOf(client, {
    chat: [() => completions.create(chat), ofChat, WHOLE],
    'chat with a system text, streamed': [() => completions.stream(told).finalChatCompletion(), ofChat, TOLD],
    'chat with a developer text and a limit': [() => completions.create(limited), ofChat, LIMITED],
    'chat with a limit, streamed': [() => completions.stream(limited).finalChatCompletion(), ofChat, LIMITED],
    'chat in JSON of a schema': [() => completions.parse(inJson), ofJson, [{ year: 2021 }]],
    'a response with a search': [() => responses.create(toSearch), ofResponse, WHOLE],
    'a response with instructions, streamed': [() => responses.stream(toTell).finalResponse(), ofResponse, TOLD],
    'a response with instructions and a limit': [() => responses.create(toCut), ofResponse, LIMITED],
    'a response with a limit, streamed': [() => responses.stream(toCut).finalResponse(), ofResponse, LIMITED],
    embeddings: [() => embeddings.create(texts), ofVectors, [4, 4], 2e-8],
  });
}

const ofJson = ({ choices: [{ message }], citations }) => [message.parsed, citations[0]];
const ofVectors = ({ data: [{ embedding }], usage }) => [embedding.length, usage.total_tokens, PAGE];
