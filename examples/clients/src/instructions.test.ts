import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { ProviderQuestion } from '@searchgate/core/provider-kit';
import { chatCompletions, responses } from '@searchgate/dialects';
import { fakeProvider } from '@searchgate/testing';
import { serve } from '@searchgate-examples/recipes/testing';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FEATURES, MODEL, QUESTION, SECRET } from './test-server.js';

const SYSTEM = 'Be brief.';
const LIMIT = 20;
const CUT = 'It opened in';

let baseURL = '';
let close: () => Promise<void>;
let asked: ProviderQuestion | undefined;
beforeAll(async () => {
  const answer = (call: ProviderQuestion) => {
    asked = call;
    return Promise.resolve({ text: CUT, truncated: call.maxOutputTokens !== undefined, citations: [], cost: {} });
  };
  const provider = { ...fakeProvider({ id: 'bridges', models: [{ features: FEATURES }] }), answer: { answer } };
  const gateway = createGateway({
    providers: [provider],
    ledger: memoryLedger({ credits: { acme: '1.00' } }),
    apiKeys: memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]),
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
  });
  const server = await serve(gateway);
  baseURL = `${server.url}/api/v1`;
  close = async () => {
    await server.close();
    await gateway.close();
  };
});
afterAll(() => close());

/** What a client gives of an answer that the limit has ended. */
type Ended = readonly [text: string, ending: unknown];

const messages = [
  { role: 'system' as const, content: SYSTEM },
  { role: 'user' as const, content: QUESTION },
];
const openAi = () => new OpenAI({ baseURL, apiKey: SECRET });
const inResponses = { model: MODEL, instructions: SYSTEM, input: QUESTION, max_output_tokens: LIMIT };
const inAiSdk = () => {
  const openai = createOpenAI({ baseURL, apiKey: SECRET });
  const model = { responses: openai(MODEL), chat: openai.chat(MODEL) };
  return { model, call: { instructions: SYSTEM, prompt: QUESTION, maxOutputTokens: LIMIT } };
};
const langChain = (useResponsesApi: boolean) =>
  new ChatOpenAI({ model: MODEL, apiKey: SECRET, maxTokens: LIMIT, useResponsesApi, configuration: { baseURL } });
const inLangChain = [new SystemMessage(SYSTEM), new HumanMessage(QUESTION)];

it.each<[client: string, ask: () => Promise<Ended>, ending: unknown]>([
  [
    'chat completions of the openai client',
    async () => {
      const { choices } = await openAi().chat.completions.create({
        model: MODEL,
        messages,
        max_completion_tokens: LIMIT,
      });
      return [choices[0]?.message.content ?? '', choices[0]?.finish_reason];
    },
    'length',
  ],
  [
    'streamed chat completions of the openai client',
    async () => {
      const limited = { model: MODEL, messages, max_completion_tokens: LIMIT };
      const { choices } = await openAi().chat.completions.stream(limited).finalChatCompletion();
      return [choices[0]?.message.content ?? '', choices[0]?.finish_reason];
    },
    'length',
  ],
  [
    'responses of the openai client',
    async () => {
      const { output_text, status, incomplete_details } = await openAi().responses.create(inResponses);
      return [output_text, [status, incomplete_details?.reason]];
    },
    ['incomplete', 'max_output_tokens'],
  ],
  [
    'streamed responses of the openai client',
    async () => {
      let [text, ending]: [string, unknown] = ['', undefined];
      for await (const event of openAi().responses.stream(inResponses)) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        if (event.type === 'response.incomplete') ending = event.response.incomplete_details?.reason;
      }
      return [text, ending];
    },
    'max_output_tokens',
  ],
  ...(['responses', 'chat'] as const).flatMap((form): [string, () => Promise<Ended>, unknown][] => [
    [
      `${form} of the AI SDK`,
      async () => {
        const { model, call } = inAiSdk();
        const { text, finishReason } = await generateText({ ...call, model: model[form] });
        return [text, finishReason];
      },
      'length',
    ],
    [
      `streamed ${form} of the AI SDK`,
      async () => {
        const { model, call } = inAiSdk();
        const { text, finishReason } = streamText({ ...call, model: model[form] });
        return [await text, await finishReason];
      },
      'length',
    ],
  ]),
  [
    'chat completions of LangChain',
    async () => {
      const { text, response_metadata } = await langChain(false).invoke(inLangChain);
      return [text, response_metadata['finish_reason']];
    },
    'length',
  ],
  [
    'responses of LangChain',
    async () => {
      const { text, response_metadata } = await langChain(true).invoke(inLangChain);
      return [text, response_metadata['status']];
    },
    'incomplete',
  ],
  [
    'streamed responses of LangChain',
    async () => {
      let text = '';
      for await (const part of await langChain(true).stream(inLangChain)) text += part.text;
      return [text, undefined];
    },
    undefined,
  ],
])('%s send a system text and a limit, and tell where it ended the answer', async (_client, ask, ending) => {
  asked = undefined;
  expect(await ask()).toEqual([CUT, ending]);
  expect(asked).toMatchObject({ query: QUESTION, instructions: SYSTEM, maxOutputTokens: LIMIT });
});
