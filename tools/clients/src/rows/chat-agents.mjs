import Instructor from '@instructor-ai/instructor';
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod/v3';
import { all, BRIEF, BRIEF_ANSWER, CUT, LIMITED, MODEL, rowsOf, TOLD } from '../chat.mjs';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@langchain/openai': [
    '`configuration`: `{ baseURL: BASE }`',
    '`apiKey`',
    '`__includeRawResponse` keeps the sources.',
  ],
  '@openai/agents': [
    '`openAIClient` of `OpenAIProvider`',
    'as `openai`',
    '`tracingDisabled` keeps traces from OpenAI.',
  ],
  '@mastra/core': ['`model.url`: `BASE`, `model.id`: `searchgate/SLUG`', '`model.apiKey`', 'Drops the sources.'],
  '@instructor-ai/instructor': ['`client`', 'as `openai`', '`mode: "JSON_SCHEMA"`, schemas of `zod/v3`.'],
};

const SCHEMA = z.object({ year: z.number() });

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const openai = new OpenAI({ baseURL: base, apiKey, maxRetries: 0 });
  const model = { id: `searchgate/${MODEL}`, url: base, apiKey };
  const agent = new MastraAgent({ id: 'historian', name: 'Historian', instructions: BRIEF, model, maxRetries: 0 });
  const { completions } = Instructor({ client: openai, mode: 'JSON_SCHEMA' }).chat;
  const response_model = { name: 'Opening', schema: SCHEMA };
  const extraction = { model: MODEL, messages: [{ role: 'user', content: QUERY }], response_model };
  return [
    ...rowsOf('@langchain/openai', ofLangChain({ apiKey, configuration: { baseURL: base }, maxRetries: 0 })),
    ...rowsOf('@openai/agents', {
      'an agent by responses': [() => runAgent(openai, true), ofRun, [BRIEF_ANSWER, 1, 0.005]],
      'an agent by chat': [() => runAgent(openai, false), ofRun, [BRIEF_ANSWER, 1, 0.005]],
    }),
    ...rowsOf('@mastra/core', {
      'Agent.generate': [() => agent.generate(QUERY, { modelSettings: { maxOutputTokens: CUT } }), ofMastra, LIMITED],
      'Agent.stream': [async () => (await agent.stream(QUERY)).getFullOutput(), ofMastra, TOLD],
    }),
    ...rowsOf('@instructor-ai/instructor', {
      'JSON of a schema': [() => completions.create(extraction), ofYear, [2021]],
    }),
  ];
}

function ofLangChain(options) {
  const modelOf = (more) => new ChatOpenAI({ ...options, model: MODEL, __includeRawResponse: true, ...more });
  const [chat, limited, responses] = [{}, { maxTokens: CUT }, { useResponsesApi: true }].map(modelOf);
  const cut = modelOf({ useResponsesApi: true, maxTokens: CUT });
  const embeddings = new OpenAIEmbeddings({ ...options, model: 'house/embed' });
  const messages = [new SystemMessage(BRIEF), new HumanMessage(QUERY)];
  const structured = chat.withStructuredOutput(SCHEMA, { method: 'jsonSchema' });
  return {
    'ChatOpenAI.invoke': [() => limited.invoke(messages), ofMessage, LIMITED],
    'ChatOpenAI.stream': [() => joined(chat.stream(messages)), ofMessage, TOLD],
    'ChatOpenAI.withStructuredOutput': [() => structured.invoke(messages), ofYear, [2021]],
    'ChatOpenAI.invoke by responses': [() => responses.invoke(messages), ofAnnotated, COMPLETED],
    'ChatOpenAI.stream by responses': [() => joined(responses.stream(messages)), ofAnnotated, COMPLETED],
    'ChatOpenAI.invoke by responses with a limit': [() => cut.invoke(messages), ofAnnotated, INCOMPLETE],
    OpenAIEmbeddings: [() => embeddings.embedQuery(QUERY), ({ length }) => [length, PAGE], [8], 2e-8],
  };
}

const COMPLETED = [BRIEF_ANSWER, 'completed', 0];
const INCOMPLETE = [BRIEF_ANSWER, 'incomplete', 0];
const ofYear = ({ year }) => [year, PAGE];

function ofMessage({ text, response_metadata: { finish_reason, usage }, additional_kwargs }) {
  return [text, finish_reason, usage.cost, additional_kwargs.__raw_response.citations[0]];
}

function ofAnnotated({ text, response_metadata, usage_metadata, content }) {
  return [text, response_metadata.status, usage_metadata.total_tokens, content[0].annotations[0].url];
}

const joined = async (stream) => (await all(stream)).reduce((whole, chunk) => whole.concat(chunk));

function runAgent(openAIClient, useResponses) {
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
    tracingDisabled: true,
  });
  return runner.run(new Agent({ name: 'Historian', instructions: BRIEF, model: MODEL }), QUERY);
}

function ofRun({ finalOutput, rawResponses: [{ output, usage, providerData }] }) {
  const [{ url, url_citation }] = output.at(-1).content[0].providerData.annotations;
  return [finalOutput, usage.requests, providerData.usage.cost, url ?? url_citation.url];
}

const ofMastra = ({ text, finishReason, usage }) => [text, finishReason, usage.raw.raw.cost, PAGE];
