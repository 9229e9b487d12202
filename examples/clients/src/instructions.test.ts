import { createOpenAI } from '@ai-sdk/openai';
import { type AIMessageChunk, HumanMessage, SystemMessage } from '@langchain/core/messages';
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

/** What a client gives of an answer that the limit has ended: its text, and how it says so. */
type Ended = readonly [text: string | null | undefined, ending: unknown];

const messages = [
  { role: 'system' as const, content: SYSTEM },
  { role: 'user' as const, content: QUESTION },
];
const openAi = () => new OpenAI({ baseURL, apiKey: SECRET });
const inChat = { model: MODEL, messages, max_completion_tokens: LIMIT };
const ofChat = ([choice]: readonly OpenAI.ChatCompletion.Choice[]): Ended => [
  choice?.message.content,
  choice?.finish_reason,
];
const inResponses = { model: MODEL, instructions: SYSTEM, input: QUESTION, max_output_tokens: LIMIT };
const ofResponse = ({ output_text, incomplete_details }: OpenAI.Responses.Response): Ended => [
  output_text,
  incomplete_details?.reason,
];
const inAiSdk = { instructions: SYSTEM, prompt: QUESTION, maxOutputTokens: LIMIT };
const aiSdk = () => createOpenAI({ baseURL, apiKey: SECRET });
const ofAiSdk = async (result: { text: unknown; finishReason: unknown }): Promise<Ended> => [
  (await result.text) as string,
  await result.finishReason,
];
const langChain = (useResponsesApi: boolean) =>
  new ChatOpenAI({ model: MODEL, apiKey: SECRET, maxTokens: LIMIT, useResponsesApi, configuration: { baseURL } });
const inLangChain = [new SystemMessage(SYSTEM), new HumanMessage(QUESTION)];
const ofLangChain = (field: string, { text, response_metadata: metadata }: AIMessageChunk): Ended => [
  text,
  metadata[field],
];

/** By the client, each with its way to say that the limit has ended the answer. */
const CLIENTS: Readonly<Record<string, [ending: string, ask: () => Ended | Promise<Ended>]>> = {
  'openai, chat': ['length', async () => ofChat((await openAi().chat.completions.create(inChat)).choices)],
  'openai, chat as a stream': [
    'length',
    async () => ofChat((await openAi().chat.completions.stream(inChat).finalChatCompletion()).choices),
  ],
  'openai, a response': ['max_output_tokens', async () => ofResponse(await openAi().responses.create(inResponses))],
  'openai, a response as a stream': [
    'max_output_tokens',
    async () => {
      let text = '';
      for await (const event of openAi().responses.stream(inResponses)) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        if (event.type === 'response.incomplete') return [text, event.response.incomplete_details?.reason];
      }
      return [text, undefined];
    },
  ],
  'AI SDK, a response': ['length', async () => ofAiSdk(await generateText({ ...inAiSdk, model: aiSdk()(MODEL) }))],
  'AI SDK, a response as a stream': ['length', () => ofAiSdk(streamText({ ...inAiSdk, model: aiSdk()(MODEL) }))],
  'AI SDK, chat': ['length', async () => ofAiSdk(await generateText({ ...inAiSdk, model: aiSdk().chat(MODEL) }))],
  'AI SDK, chat as a stream': ['length', () => ofAiSdk(streamText({ ...inAiSdk, model: aiSdk().chat(MODEL) }))],
  'LangChain, chat': ['length', async () => ofLangChain('finish_reason', await langChain(false).invoke(inLangChain))],
  'LangChain, a response': ['incomplete', async () => ofLangChain('status', await langChain(true).invoke(inLangChain))],
};

it.each(Object.entries(CLIENTS))(
  '%s sends a system text and a limit, and tells where it ended the answer',
  async (_client, [ending, ask]) => {
    asked = undefined;
    expect(await ask()).toEqual([CUT, ending]);
    expect(asked).toMatchObject({ query: QUESTION, instructions: SYSTEM, maxOutputTokens: LIMIT });
  },
);
