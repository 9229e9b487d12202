/* What a CommonJS application does with the provider for the AI SDK, whose own packages are ES modules alone. */
const assert = require('node:assert/strict');
const { createSearchgate } = require('@searchgate/ai-sdk');
const { generateText, NoSuchModelError } = require('ai');

const reply = {
  id: 'ans_1',
  model: 'exa/answer',
  provider: 'exa',
  answer: 'In May 2021 [1].',
  citations: [{ title: 'A', url: 'https://example.org/a', snippet: '' }],
  usage: { cost: 0.005 },
};
const fetch = async () => Response.json(reply);
const searchgate = createSearchgate({ baseUrl: 'http://127.0.0.1:3000', apiKey: 'a-key', fetch });

void (async () => {
  const { text, sources } = await generateText({ model: searchgate('exa/answer'), prompt: 'When?' });
  assert.equal(text, reply.answer);
  assert.equal(sources[0].url, 'https://example.org/a');
  assert.throws(() => searchgate.imageModel('exa/answer'), NoSuchModelError.isInstance);
})();
