import Perplexity from '@perplexity-ai/perplexity_ai';
import { BRIEF, CUT, joined, LIMITED, MODEL, ofChat, ofResponse, rowsOf, TOLD, USAGE_COST, WHOLE } from '../chat.mjs';
import { QUERY } from '../row.mjs';

const client = '@perplexity-ai/perplexity_ai';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  [client]: ['`baseURL`: `BASE`, for `responses` `MOUNT/api`', '`apiKey`', USAGE_COST],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ mount, perplexity, apiKey }) {
  const { chat, search } = new Perplexity({ apiKey, baseURL: perplexity, maxRetries: 0 });
  const { responses } = new Perplexity({ apiKey, baseURL: `${mount}/api`, maxRetries: 0 });
  const system = { role: 'system', content: BRIEF };
  const asked = { model: MODEL, messages: [system, { role: 'user', content: QUERY }] };
  return rowsOf(client, {
    'chat with a system text and a limit': [
      () => chat.completions.create({ ...asked, max_tokens: CUT }),
      ofChat,
      LIMITED,
    ],
    'chat, streamed': [() => joined(chat.completions.create({ ...asked, stream: true })), ofChat, TOLD],
    search: [() => search.create({ query: QUERY, max_results: 3 }), ({ results }) => [results[0].url], []],
    'a response': [() => responses.create({ model: MODEL, input: QUERY }), ofResponse, WHOLE],
  });
}
