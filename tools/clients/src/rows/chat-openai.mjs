import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import OpenAI6 from 'openai6';
import { zodResponseFormat as zodResponseFormat6 } from 'openai6/helpers/zod';
import { z } from 'zod';
import { ANSWER, BRIEF, BRIEF_ANSWER, CUT, MODEL, PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  openai: ['`baseURL`: `BASE`', '`apiKey`', 'Texts alone: no tools of functions, no pictures.'],
  openai6: ['`baseURL`: `BASE`', '`apiKey`', 'as above'],
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
const YEAR = z.object({ year: z.number() });

/** @returns {import('../row.mjs').Row[]} */
function ofClient(client, { chat, responses, embeddings }, formatOf) {
  const question = { model: MODEL, input: QUERY };
  return [
    {
      client,
      what: 'chat',
      call: () => chat.completions.create({ model: MODEL, messages: [USER] }),
      shown: chatShows(ANSWER, 'stop'),
    },
    {
      client,
      what: 'chat with a system text, streamed',
      call: () =>
        chat.completions
          .stream({ model: MODEL, messages: [SYSTEM, USER], stream_options: { include_usage: true } })
          .finalChatCompletion(),
      shown: chatShows(BRIEF_ANSWER, 'stop'),
    },
    {
      client,
      what: 'chat with a developer text and a limit',
      call: () => chat.completions.create({ model: MODEL, messages: [DEVELOPER, USER], max_completion_tokens: CUT }),
      shown: chatShows(BRIEF_ANSWER, 'length'),
    },
    {
      client,
      what: 'chat in JSON of a schema',
      call: () =>
        chat.completions.parse({ model: MODEL, messages: [USER], response_format: formatOf(YEAR, 'opening') }),
      shown: ({ choices: [{ message }], citations }) => message.parsed.year === 2021 && citations[0],
    },
    {
      client,
      what: 'a response with a search',
      call: () => responses.create({ ...question, tools: [{ type: 'web_search' }] }),
      shown: responseShows(ANSWER, 'completed'),
    },
    {
      client,
      what: 'a response with instructions, streamed',
      call: () => responses.stream({ ...question, instructions: BRIEF }).finalResponse(),
      shown: responseShows(BRIEF_ANSWER, 'completed'),
    },
    {
      client,
      what: 'a response with a limit',
      call: () => responses.create({ ...question, max_output_tokens: CUT }),
      shown: responseShows(ANSWER, 'incomplete'),
    },
    {
      client,
      what: 'embeddings',
      call: () => embeddings.create({ model: 'house/embed', input: QUERY, dimensions: 4 }),
      shown: ({ data: [{ embedding }], usage }) => embedding.length === 4 && usage.total_tokens === 4 && PAGE,
      cost: 2e-8,
    },
  ];
}

const chatShows =
  (text, finish) =>
  ({ choices: [{ message, finish_reason }], usage }) =>
    message.content === text &&
    finish_reason === finish &&
    usage.cost === 0.005 &&
    message.annotations[0].url_citation.url;

const responseShows =
  (text, end) =>
  ({ output, output_text, status, usage }) =>
    output_text === text && status === end && usage.cost === 0.005 && output.at(-1).content[0].annotations[0].url;
