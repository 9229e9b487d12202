import { createGateway, formatUsd, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { type AnswerOutcome, type Provider, UpstreamError } from '@searchgate/core/provider-kit';
import { serve } from '@searchgate-examples/recipes/testing';

export const MODEL = 'bridges/answer';
export const SECRET = 'sg_a-secret-of-twenty-characters';
export const QUESTION = 'When did the Zephyr Bridge open?';
export const TEXT = 'It opened in May 2021 [1][2].';
export const URLS = ['https://example.org/zephyr', 'https://news.example.com/opening'];

/** Questions that do not simply get an answer. */
export const FAULTS = {
  /** Fails the first time, then gets its answer. */
  once: 'Fail once.',
  /** Fails in a way that no second try can help. */
  always: 'Fail always.',
  /** Fails behind the first part of a stream. */
  halfWay: 'Break off.',
};

const OUTCOME: AnswerOutcome = {
  text: TEXT,
  citations: [
    { url: URLS[0] ?? '', title: 'Zephyr Bridge opens', snippet: 'Opened on 14 May…' },
    { url: URLS[1] ?? '', title: 'The opening' },
  ],
  cost: {},
};

/** A server with chat completions whose provider answers without a network, and the questions that reached this provider. */
export async function startServer() {
  const asked: string[] = [];
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const gateway = createGateway({
    providers: [bridges(asked)],
    ledger,
    apiKeys: memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]),
    endpoints: { chatCompletions: true },
    maxAttempts: 1,
    providerFailureThreshold: 1_000,
  });
  const server = await serve(gateway);
  const close = async () => {
    await server.close();
    await gateway.close();
  };
  /** All that was charged. */
  const usage = async () => formatUsd((await ledger.organizationTotals('acme')).usage);
  return { baseURL: `${server.url}/api/v1`, asked, usage, close };
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;

function bridges(asked: string[]): Provider {
  const outcomeOf = (query: string) => {
    asked.push(query);
    if (query === FAULTS.always) throw new UpstreamError('upstream_rejected', { phase: 'headers', status: 422 });
    if (query === FAULTS.once && asked.filter((each) => each === query).length === 1) throw failure();
    return OUTCOME;
  };
  return {
    id: 'bridges',
    name: 'Bridges',
    models: [
      {
        slug: MODEL,
        name: 'Bridges',
        description: 'Knows one bridge.',
        prices: [{ kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-22', confidence: 'high' }],
        features: ['citations', 'streaming'],
        contextLength: null,
        timeoutMs: 10_000,
      },
    ],
    answer: {
      answer: ({ query }) => new Promise((resolve) => resolve(outcomeOf(query))),
      stream: ({ query }, _context, live) =>
        new Promise((resolve) => {
          const outcome = outcomeOf(query);
          live.citations(outcome.citations);
          live.text(TEXT.slice(0, 12));
          if (query === FAULTS.halfWay) throw failure();
          live.text(TEXT.slice(12));
          resolve(outcome);
        }),
    },
  };
}

function failure(): UpstreamError {
  return new UpstreamError('upstream_error', { phase: 'headers', status: 500 });
}
