import { createGateway, formatUsd, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { chatCompletions, responses } from '@searchgate/dialects';
import { type FakeReplySource, fakeProvider } from '@searchgate/testing';
import { serve } from '@searchgate-examples/recipes/testing';

export const MODEL = 'bridges/answer';
export const SECRET = 'sg_a-secret-of-twenty-characters';
export const QUESTION = 'When did the Zephyr Bridge open?';
export const TEXT = 'It opened in May 2021 [1][2].';
export const URLS = ['https://example.org/zephyr', 'https://news.example.com/opening'];

const FEATURES = ['citations', 'streaming', 'instructions', 'max_output_tokens'] as const;

/** Questions with special behavior. */
export const FAULTS = {
  /** Fails the first time, then is answered. */
  once: 'Fail once.',
  /** Fails permanently. */
  always: 'Fail always.',
  /** Fails after the first part of a stream. */
  halfWay: 'Break off.',
};

const ANSWER = {
  text: [TEXT.slice(0, 12), TEXT.slice(12)],
  citations: [
    { url: URLS[0] ?? '', title: 'Zephyr Bridge opens', snippet: 'Opened on 14 May…' },
    { url: URLS[1] ?? '', title: 'The opening' },
  ],
};

/** A server with chat completions and responses whose provider needs no network, and the questions that reached this provider. */
export async function startServer() {
  const provider = fakeProvider({ id: 'bridges', models: [{ features: FEATURES }] });
  const asked = () => provider.requests.map(({ query }) => query);
  const reply: FakeReplySource = ({ query }) => {
    const times = asked().filter((each) => each === query).length;
    if (query === FAULTS.always) return { failure: 'upstream_rejected' };
    if (query === FAULTS.once && times === 1) return { failure: 'upstream_error' };
    return query === FAULTS.halfWay ? { text: TEXT.slice(0, 12), failure: 'upstream_error' } : ANSWER;
  };
  provider.reply(reply);
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const gateway = createGateway({
    providers: [provider],
    ledger,
    apiKeys: memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]),
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
    maxAttempts: 1,
    providerFailureThreshold: 1_000,
  });
  const server = await serve(gateway);
  const close = async () => {
    await server.close();
    await gateway.close();
  };
  /** The total charge. */
  const usage = async () => formatUsd((await ledger.organizationTotals('acme')).usage);
  return { baseURL: `${server.url}/api/v1`, asked, usage, close };
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;
