/*
 * The packed client on Node, Bun or Deno, with the packed gateway: an answer, a stream, a stream that is left early, and an error.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createClient, isSearchgateError } from '@searchgate/client';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';

const apiKey = 'sg_a-key-for-the-client';
const question = { model: 'handbook/answer', query: 'How much leave do I get?' };
const outcome = { text: 'Thirty days, “Zéphyr” 🌉.', citations: [], cost: {} };

const gateway = createGateway({
  providers: [
    {
      id: 'handbook',
      name: 'Handbook',
      models: [
        {
          slug: question.model,
          name: 'Handbook',
          description: 'Answers from one sentence.',
          prices: [{ kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-22', confidence: 'high' }],
          features: ['streaming'],
          contextLength: null,
          timeoutMs: 10_000,
        },
      ],
      answer: {
        answer: () => Promise.resolve(outcome),
        stream(_call, _context, live) {
          for (const character of outcome.text) live.text(character);
          return Promise.resolve(outcome);
        },
      },
    },
  ],
  ledger: memoryLedger({ credits: { acme: '0.03' } }),
  apiKeys: memoryApiKeys([{ apiKey, label: 'client', organizationId: 'acme' }]),
});
const server = createServer((req, res) => void handleNode(gateway, { req, res }));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = createClient({ baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey });

assert.equal((await client.answer(question)).answer, outcome.text);

let text = '';
let last;
for await (const event of client.answerStream(question)) {
  if (event.type === 'delta') text += event.text;
  last = event;
}
assert.equal(text, outcome.text);
assert.equal(last.type, 'done');
assert.equal(last.answer.answer, outcome.text);

for await (const event of client.answerStream(question)) if (event.type === 'delta') break;

assert.deepEqual(
  (await client.models({ category: 'answer' })).data.map(({ id }) => id),
  [question.model],
);
const refused = await client.answer({ ...question, timeoutMs: 10_000 }).catch((error) => error);
assert(isSearchgateError(refused));
assert.equal(refused.reason, 'organization_credits_exhausted');
assert.equal(refused.metadata.required, 0.01);

await gateway.close();
await new Promise((resolve) => {
  server.close(resolve);
  server.closeAllConnections();
});
console.log('    the client');
