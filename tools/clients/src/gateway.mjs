import { createServer } from 'node:http';
import { createGateway, memoryLedger } from '../../../packages/core/src/index.ts';
import { handleNode } from '../../../packages/core/src/node/index.ts';
import { chatCompletions, exa, firecrawl, responses, searxng, tavily } from '../../../packages/dialects/src/index.ts';
import { retrievalProvider } from '../../../packages/dialects/test/retrieval-provider.ts';
import { mcp } from '../../../packages/mcp/src/index.ts';
import { fakeProvider } from '../../../packages/testing/src/fake-provider.ts';
import { ANSWER, CUT, MODEL } from './chat.mjs';
import { PAGE } from './row.mjs';

const MODELS = { search: 'house/search', extract: 'house/extract', answer: MODEL };
const CITATIONS = [{ url: PAGE, title: 'Zephyr Bridge opens', snippet: 'Opened.' }];

// Of a key that may come in a path.
const BOUNDS = { limit: '100', allowedModels: [...Object.values(MODELS), 'house/rerank', 'house/embed'] };

/** The doors whose fields are in tables. */
export const DIALECTS = {
  tavily: tavily(MODELS),
  exa: exa(MODELS),
  firecrawl: firecrawl(MODELS),
  searxng: searxng({ search: MODELS.search, keyInPath: true }),
};

/**
 * Where the gateway is, and a key of it. Its models are `house/answer` (which streams, reads conversations and writes JSON), `house/search`,
 * `house/extract`, `house/rerank` and `house/embed`; each call costs 0.005 USD.
 *
 * @typedef {object} Address
 * @property {string} mount such as `http://127.0.0.1:8080`
 * @property {string} base the mount with `/api/v1`
 * @property {string} perplexity as `base`, of a gateway whose chat completions have the form of Perplexity's costs
 * @property {string} apiKey
 */

/** A gateway with every door, on loopback. */
export async function startGateway() {
  const apiKey = 'sk-unchanged';
  const options = {
    providers: [houseProvider()],
    ledger: memoryLedger({ credits: { acme: '100' } }),
    authenticate: (token) => (token === apiKey ? { id: 'key', organizationId: 'acme', ...BOUNDS } : null),
  };
  const gateway = createGateway({
    ...options,
    aliases: { 'jina-reranker-v2-base-multilingual': 'house/rerank', 'rerank-v3.5': 'house/rerank' },
    endpoints: {
      ...DIALECTS,
      chatCompletions: chatCompletions(),
      responses: responses(),
      search: { defaultModel: MODELS.search },
      mcp: mcp({ defaultModel: MODELS.answer, search: MODELS.search, fetch: MODELS.extract }),
    },
  });
  const perplexity = createGateway({
    ...options,
    endpoints: { chatCompletions: chatCompletions({ usageCost: 'object' }), search: { defaultModel: MODELS.search } },
  });
  const serve = async (req, res) =>
    (await handleNode(gateway, { req, res })) ||
    (await handleNode(perplexity, { req, res, target: req.url.replace(/^\/perplexity/, '') })) ||
    res.writeHead(404).end();
  const server = createServer((req, res) => void serve(req, res));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mount = `http://127.0.0.1:${server.address().port}`;
  return {
    address: { mount, base: `${mount}/api/v1`, perplexity: `${mount}/perplexity/api/v1`, apiKey },
    spent: async () => (await gateway.credits({ apiKey })).totalUsage,
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all([gateway.close(), perplexity.close()]);
    },
  };
}

/** A model of every category: those that find and read honor every option, the others are under control of the reply. */
function houseProvider() {
  const { search, extract, models } = retrievalProvider(() => undefined);
  const { options } = models[0];
  const reply = ({ responseFormat, instructions, maxOutputTokens }) => {
    if (responseFormat !== undefined) return { json: { year: 2021 }, citations: CITATIONS };
    const text = `${instructions ?? ''} ${ANSWER}`.trim().split(/(?= )/);
    return { text, citations: CITATIONS, truncated: maxOutputTokens <= CUT };
  };
  const fake = fakeProvider({ id: 'house', models: [{ options }], price: '0.005', replies: [reply] });
  return { ...fake, search, extract };
}
