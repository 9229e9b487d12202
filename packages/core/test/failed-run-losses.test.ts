import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../src/provider-kit/provider.js';
import * as allProviders from '../src/providers/index.js';
import { fixturesIn } from './ask-once.js';
import { type Served, serve } from './every-model/serve.js';
import { reasonOf, start } from './scripted-gateway.js';

/** The operator's cost of a reply with status 200 and no answer, in nanodollars, by the prices of 2026-11-21. */
const LOSSES: readonly (readonly [model: string, fixture: string, loss: bigint])[] = [
  // 9,120 × 100 + 410 × 500, and 10,000,000 for each search
  ['openai/gpt-6-luna', 'incomplete', 11_117_000n],
  ['openai/gpt-6-luna', 'refused', 11_117_000n],
  ['openai/gpt-6-luna', 'filtered', 11_117_000n],
  ['openai/gpt-6-luna', 'answer-ungrounded', 1_117_000n],
  // 11,840 × 2,000 + 312 × 10,000, and 10,000,000 for each search
  ['anthropic/claude-sonnet-5-5', 'cut', 36_800_000n],
  ['anthropic/claude-sonnet-5-5', 'context-full', 36_800_000n],
  ['anthropic/claude-sonnet-5-5', 'refused', 36_800_000n],
  ['anthropic/claude-sonnet-5-5', 'tool-wanted', 36_800_000n],
  ['anthropic/claude-sonnet-5-5', 'searched-without-text', 36_800_000n],
  // 2,100 × 2,000 + 80 × 10,000; 600 × 2,000 + 40 × 10,000
  ['anthropic/claude-sonnet-5-5', 'search-limited', 5_000_000n],
  ['anthropic/claude-sonnet-5-5', 'search-refused', 5_000_000n],
  ['anthropic/claude-sonnet-5-5', 'ungrounded', 1_600_000n],
  // 38 × 750 + 306 × 3,750, and 14,000,000 for each query
  ['google/gemini-3.8-flash', 'cut', 29_176_000n],
  ['google/gemini-3.8-flash', 'answer-lost-sources', 29_176_000n],
  ['google/gemini-3.8-flash', 'answer-only-thoughts', 15_176_000n],
  ['google/gemini-3.8-flash', 'answer-ungrounded', 1_176_000n],
  ['google/gemini-3.8-flash', 'answer-no-queries', 1_176_000n],
  ['google/gemini-3.8-flash', 'blocked-prompt', 28_500n],
  ['google/gemini-3.8-flash', 'blocked-answer', 28_500n],
  ['google/gemini-3.8-flash', 'no-candidates', 28_500n],
  // 7,300 × 1,500 + 8,192 × 7,500, and 30,000,000 for each search
  ['mistral/mistral-medium-latest', 'cut', 102_390_000n],
  ['mistral/mistral-medium-latest', 'searched-without-text', 41_362_500n],
  ['mistral/mistral-medium-latest', 'no-message', 41_362_500n],
  // 188 × 1,500 + 20 × 7,500
  ['mistral/mistral-medium-latest', 'ungrounded', 432_000n],
  ['mistral/mistral-medium-latest', 'other-tool', 432_000n],
  // 6,000 × 1,400 + 210 × 260 + 140 × 4,400, and 10,000,000 for the search
  ['zai/glm-5.3', 'cut', 19_070_600n],
  ['zai/glm-5.3', 'window', 19_070_600n],
  ['zai/glm-5.3', 'sensitive', 19_070_600n],
  ['zai/glm-5.3', 'network-error', 19_070_600n],
  ['zai/glm-5.3', 'tool-calls', 19_070_600n],
  ['zai/glm-5.3', 'empty', 19_070_600n],
  ['zai/glm-5.3', 'ungrounded', 9_070_600n],
];

const REPLIES = LOSSES.map(([model, name, loss]) => {
  const [provider = ''] = model.split('/');
  const folder = join(import.meta.dirname, '../src/providers', provider);
  return { model, name, loss, provider, reply: fixturesIn(folder)(name) as Record<string, unknown> };
});

const FACTORIES = new Map<string, (settings: { apiKey: string; baseUrl: string }) => Provider>(
  Object.entries(allProviders),
);

describe('a run without an answer', () => {
  let upstream: Served;
  let playing: unknown;

  beforeAll(async () => {
    upstream = await serve((req, res) => {
      req
        .resume()
        .once('end', () => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(playing)));
    });
  });
  afterAll(() => upstream.close());

  /** The losses recorded for one question to a model whose caller gets an error. */
  async function lossesOf({ model, provider }: (typeof REPLIES)[number], reply: unknown): Promise<unknown[]> {
    playing = reply;
    const create = FACTORIES.get(provider)!;
    const { gateway, ask, ledger, totals } = start([create({ apiKey: 'a-key', baseUrl: upstream.url })], {
      maxAttempts: 1,
    });
    expect(await reasonOf(ask(model))).not.toBe('answered');
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    await gateway.close();
    return entries.flatMap((entry) => (entry.kind === 'loss' ? [[entry.model, entry.amount]] : []));
  }

  it.each(REPLIES)('is a loss of its usage: $provider, $name', async (question) => {
    expect(await lossesOf(question, question.reply)).toEqual([[question.model, question.loss]]);
  });

  // Only the usage shows that Mistral's answer was cut.
  const others = REPLIES.filter(({ provider, name }) => provider !== 'mistral' || name !== 'cut');

  it.each(others)('is not a loss without usage: $provider, $name', async (question) => {
    const { usage: _usage, usageMetadata: _usageMetadata, ...reply } = question.reply;
    expect(await lossesOf(question, reply)).toEqual([]);
  });
});
