import { OpenRouter } from '@openrouter/sdk';
import { all, BRIEF, CUT, joined, LIMITED, MODEL, ofResponse, rowsOf, TOLD } from '../chat.mjs';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@openrouter/sdk': ['`serverURL`: `BASE`', '`apiKey`', 'Drops the sources of a chat. Errors are in `body`.'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const { chat, beta, embeddings } = new OpenRouter({ apiKey, serverURL: base, retryConfig: { strategy: 'none' } });
  const system = { role: 'system', content: BRIEF };
  const asked = { model: MODEL, messages: [system, { role: 'user', content: QUERY }] };
  const chatOf = (more) => chat.send({ chatRequest: { ...asked, ...more } });
  const question = { model: MODEL, input: QUERY, instructions: BRIEF };
  const responseOf = (more) => beta.responses.send({ responsesRequest: { ...question, ...more } });
  const texts = { requestBody: { model: 'house/embed', input: QUERY } };
  return rowsOf('@openrouter/sdk', {
    'chat with a system text and a limit': [() => chatOf({ maxCompletionTokens: CUT }), ofChat, LIMITED],
    'chat with a system text, streamed': [() => joined(chatOf({ stream: true })), ofChat, TOLD],
    'a response with instructions and a limit': [() => responseOf({ maxOutputTokens: CUT }), ofResponse, LIMITED],
    'a response, streamed': [() => all(responseOf({ stream: true })), ofEvents, TOLD],
    embeddings: [() => embeddings.generate(texts), ofVectors, [8, 4], 2e-8],
  });
}

const ofChat = ({ choices: [{ message, finishReason }], usage }) => [message.content, finishReason, usage.cost, PAGE];
const ofEvents = (events) => ofResponse(events.at(-1).response);
const ofVectors = ({ data: [{ embedding }], usage }) => [embedding.length, usage.totalTokens, PAGE];
