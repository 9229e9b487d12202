import Instructor from '@instructor-ai/instructor';
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod/v3';
import { all, BRIEF, BRIEF_ANSWER, CUT, MODEL, PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@langchain/openai': [
    '`configuration`: `{ baseURL: BASE }`',
    '`apiKey`',
    'Chat keeps the sources with `__includeRawResponse`, responses always. `withStructuredOutput` with `method: "jsonSchema"`.',
  ],
  '@openai/agents': [
    '`new OpenAIProvider({ openAIClient })` with a client of `openai`',
    'of that client',
    'Without tools, handoffs and sessions. `tracingDisabled: true`, else it sends its traces to OpenAI.',
  ],
  '@mastra/core': [
    '`model`: `{ id: "searchgate/exa/answer", url: BASE, apiKey: KEY }`',
    '`apiKey`',
    'Agents without tools. The reply has no sources.',
  ],
  '@instructor-ai/instructor': [
    '`client`: one of `openai`',
    'of that client',
    '`mode: "JSON_SCHEMA"`, with a schema of `zod/v3`.',
  ],
};

/** @type {import('../row.mjs').Rows} */
export function rows(address) {
  return [...ofLangChain(address), ...ofAgents(address), ...ofMastra(address), ofInstructor(address)];
}

/** @returns {import('../row.mjs').Row[]} */
function ofLangChain({ base, apiKey }) {
  const client = '@langchain/openai';
  const messages = [new SystemMessage(BRIEF), new HumanMessage(QUERY)];
  const options = { apiKey, configuration: { baseURL: base }, maxRetries: 0 };
  const modelOf = (more) => new ChatOpenAI({ ...options, model: MODEL, __includeRawResponse: true, ...more });
  const model = modelOf();
  const responses = modelOf({ useResponsesApi: true });
  return [
    {
      client,
      what: 'ChatOpenAI.invoke with a system text and a limit',
      call: () => modelOf({ maxTokens: CUT }).invoke(messages),
      shown: chatShows('length'),
    },
    {
      client,
      what: 'ChatOpenAI.stream',
      call: () => whole(model.stream(messages)),
      shown: chatShows('stop'),
    },
    {
      client,
      what: 'ChatOpenAI.withStructuredOutput',
      call: () => model.withStructuredOutput(z.object({ year: z.number() }), { method: 'jsonSchema' }).invoke(messages),
      shown: ({ year }) => year === 2021 && PAGE,
    },
    {
      client,
      what: 'ChatOpenAI.invoke by responses',
      call: () => responses.invoke(messages),
      shown: responseShows,
    },
    {
      client,
      what: 'ChatOpenAI.stream by responses',
      call: () => whole(responses.stream(messages)),
      shown: responseShows,
    },
    {
      client,
      what: 'OpenAIEmbeddings',
      call: () => new OpenAIEmbeddings({ ...options, model: 'house/embed' }).embedQuery(QUERY),
      shown: ({ length }) => length === 8 && PAGE,
      cost: 2e-8,
    },
  ];
}

const chatShows =
  (finish) =>
  ({ text, response_metadata, additional_kwargs }) =>
    text === BRIEF_ANSWER &&
    response_metadata.finish_reason === finish &&
    response_metadata.usage.cost === 0.005 &&
    additional_kwargs.__raw_response.citations[0];

const responseShows = ({ text, content, response_metadata, usage_metadata }) =>
  text === BRIEF_ANSWER &&
  response_metadata.status === 'completed' &&
  usage_metadata.total_tokens === 0 &&
  content[0].annotations[0].url;

/** The chunks of a stream, joined. */
const whole = async (stream) => (await all(await stream)).reduce((joined, chunk) => joined.concat(chunk));

/** Without its tracing, which would be sent to OpenAI. @returns {import('../row.mjs').Row[]} */
function ofAgents({ base, apiKey }) {
  const openAIClient = new OpenAI({ baseURL: base, apiKey, maxRetries: 0 });
  return [true, false].map((useResponses) => ({
    client: '@openai/agents',
    what: `an agent with instructions by ${useResponses ? 'responses' : 'chat'}`,
    call: () => {
      const runner = new Runner({
        modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
        tracingDisabled: true,
      });
      return runner.run(new Agent({ name: 'Historian', instructions: BRIEF, model: MODEL }), QUERY);
    },
    shown: ({ finalOutput, rawResponses: [{ output, usage }] }) => {
      const [{ url, url_citation }] = output.at(-1).content[0].providerData.annotations;
      return finalOutput === BRIEF_ANSWER && usage.requests === 1 && (url ?? url_citation.url);
    },
  }));
}

/** @returns {import('../row.mjs').Row[]} */
function ofMastra({ base, apiKey }) {
  const model = { id: `searchgate/${MODEL}`, url: base, apiKey };
  const agent = new MastraAgent({ id: 'historian', name: 'Historian', instructions: BRIEF, model, maxRetries: 0 });
  const client = '@mastra/core';
  return [
    {
      client,
      what: 'Agent.generate with a limit',
      call: () => agent.generate(QUERY, { modelSettings: { maxOutputTokens: CUT } }),
      // It reads no sources of a chat.
      shown: ({ text, finishReason, usage }) =>
        text === BRIEF_ANSWER && finishReason === 'length' && usage.raw.raw.cost === 0.005 && PAGE,
    },
    {
      client,
      what: 'Agent.stream',
      call: async () => {
        const stream = await agent.stream(QUERY);
        return { text: await stream.text, finishReason: await stream.finishReason };
      },
      shown: ({ text, finishReason }) => text === BRIEF_ANSWER && finishReason === 'stop' && PAGE,
    },
  ];
}

/** @returns {import('../row.mjs').Row} */
function ofInstructor({ base, apiKey }) {
  const openai = new OpenAI({ baseURL: base, apiKey, maxRetries: 0 });
  const { chat } = Instructor({ client: openai, mode: 'JSON_SCHEMA' });
  const response_model = { name: 'Opening', schema: z.object({ year: z.number() }) };
  const messages = [{ role: 'user', content: QUERY }];
  return {
    client: '@instructor-ai/instructor',
    what: 'JSON of a schema',
    call: () => chat.completions.create({ model: MODEL, messages, response_model, max_retries: 0 }),
    shown: ({ year }) => year === 2021 && PAGE,
  };
}
