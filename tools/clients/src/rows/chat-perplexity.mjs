import Perplexity from '@perplexity-ai/perplexity_ai';
import { ANSWER, all, BRIEF, BRIEF_ANSWER, CUT, MODEL, QUERY } from '../row.mjs';

const client = '@perplexity-ai/perplexity_ai';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@perplexity-ai/perplexity_ai': [
    '`baseURL`: `BASE`, for `responses` `MOUNT/api`',
    '`apiKey`',
    "With `chatCompletions({ usageCost: 'object' })`.",
  ],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ mount, perplexity, apiKey }) {
  const { chat } = new Perplexity({ apiKey, baseURL: perplexity, maxRetries: 0 });
  // This one path of the client begins with `/v1`.
  const { responses } = new Perplexity({ apiKey, baseURL: `${mount}/api`, maxRetries: 0 });
  const messages = [
    { role: 'system', content: BRIEF },
    { role: 'user', content: QUERY },
  ];
  return [
    {
      client,
      what: 'chat with a system text and a limit',
      call: () => chat.completions.create({ model: MODEL, messages, max_tokens: CUT }),
      shown: ({ choices: [{ message, finish_reason }], usage, search_results }) =>
        message.content === BRIEF_ANSWER &&
        finish_reason === 'length' &&
        usage.cost.total_cost === 0.005 &&
        search_results[0].url,
    },
    {
      client,
      what: 'chat, streamed',
      call: async () => all(await chat.completions.create({ model: MODEL, messages, stream: true })),
      shown: (chunks) =>
        chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('') === BRIEF_ANSWER &&
        chunks.some(({ choices }) => choices[0]?.finish_reason === 'stop') &&
        chunks.at(-1).usage.cost.total_cost === 0.005 &&
        chunks[0].search_results[0].url,
    },
    {
      client,
      what: 'a response',
      call: () => responses.create({ model: MODEL, input: QUERY }),
      shown: ({ output_text, status, usage, output: [{ content }] }) =>
        output_text === ANSWER && status === 'completed' && usage.cost === 0.005 && content[0].annotations[0].url,
    },
  ];
}
