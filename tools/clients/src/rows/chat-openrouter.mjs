import { OpenRouter } from '@openrouter/sdk';
import { ANSWER, all, BRIEF, BRIEF_ANSWER, CUT, MODEL, PAGE, QUERY } from '../row.mjs';

const client = '@openrouter/sdk';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@openrouter/sdk': [
    '`serverURL`: `BASE`',
    '`apiKey`',
    'Its types of chat leave out the sources; those of responses have them.',
  ],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const { chat, beta, embeddings } = new OpenRouter({ apiKey, serverURL: base, retryConfig: { strategy: 'none' } });
  const messages = [
    { role: 'system', content: BRIEF },
    { role: 'user', content: QUERY },
  ];
  const chatRequest = { model: MODEL, messages };
  const responsesRequest = { model: MODEL, input: QUERY };
  return [
    {
      client,
      what: 'chat with a system text and a limit',
      call: () => chat.send({ chatRequest: { ...chatRequest, maxCompletionTokens: CUT } }),
      // Its types have no sources.
      shown: ({ choices: [{ message, finishReason }], usage }) =>
        message.content === BRIEF_ANSWER && finishReason === 'length' && usage.cost === 0.005 && PAGE,
    },
    {
      client,
      what: 'chat with a system text, streamed',
      call: async () =>
        all(await chat.send({ chatRequest: { ...chatRequest, stream: true, streamOptions: { includeUsage: true } } })),
      shown: (chunks) =>
        chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('') === BRIEF_ANSWER &&
        chunks.at(-2).choices[0].finishReason === 'stop' &&
        chunks.at(-1).usage.cost === 0.005 &&
        PAGE,
    },
    {
      client,
      what: 'a response with instructions and a limit',
      call: () =>
        beta.responses.send({ responsesRequest: { ...responsesRequest, instructions: BRIEF, maxOutputTokens: CUT } }),
      shown: responseShows(BRIEF_ANSWER, 'incomplete'),
    },
    {
      client,
      what: 'a response, streamed',
      call: async () =>
        (await all(await beta.responses.send({ responsesRequest: { ...responsesRequest, stream: true } }))).at(-1)
          .response,
      shown: responseShows(ANSWER, 'completed'),
    },
    {
      client,
      what: 'embeddings',
      call: () => embeddings.generate({ requestBody: { model: 'house/embed', input: QUERY } }),
      shown: ({ data: [{ embedding }], usage }) => embedding.length === 8 && usage.totalTokens === 4 && PAGE,
      cost: 2e-8,
    },
  ];
}

const responseShows =
  (text, end) =>
  ({ output: [{ content }], status, usage }) =>
    content[0].text === text && status === end && usage.cost === 0.005 && content[0].annotations[0].url;
