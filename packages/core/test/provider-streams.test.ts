import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, memoryApiKeys, memoryLedger } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { anthropic, deepseek, google, mistral } from '../src/providers/index.js';
import { streamsIn } from './ask-once.js';
import { serve } from './every-model/serve.js';
import { joined, openStream } from './stream-client.js';

const KEY = 'a-secret-of-twenty-characters';

interface RecordedStream {
  readonly model: string;
  /** Among the fixtures of the provider. */
  readonly file: string;
  readonly create: (settings: { apiKey: string; baseUrl: string }) => Provider;
  /** Whether its markers come only at the end. */
  readonly isLate?: boolean;
}

const STREAMS: readonly RecordedStream[] = [
  { model: 'anthropic/claude-sonnet-5-5', file: 'message-stream', create: anthropic },
  { model: 'deepseek/deepseek-flash', file: 'answer-stream', create: deepseek },
  { model: 'google/gemini-3.8-flash', file: 'answer-stream', create: google, isLate: true },
  { model: 'mistral/mistral-medium-latest', file: 'answer-stream', create: mistral },
];

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

describe('a recorded stream through the gateway', () => {
  it.each(STREAMS)('of $model comes in parts that make up the answer', async ({ model, file, create, isLate }) => {
    const [provider = ''] = model.split('/');
    const text = streamsIn(`${import.meta.dirname}/../src/providers/${provider}`)(file);
    const upstream = await serve((req, res) => {
      req.resume().once('end', () => res.setHeader('content-type', 'text/event-stream').end(text));
    });
    const logged: string[] = [];
    const log = (_fields: object, message: string) => void logged.push(message);
    const gateway = createGateway({
      providers: [create({ apiKey: 'a-key', baseUrl: upstream.url })],
      apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: null }]),
      ledger: memoryLedger({ credits: { acme: '10.00' } }),
      logger: { warn: log, error: log },
    });
    const host = await serve((req, res) => void handleNode(gateway, { req, res }));
    stops.push(
      () => upstream.close(),
      () => host.close(),
      () => gateway.close(),
    );
    for (const include_citations of [true, false]) {
      const body = { model, query: 'When?', stream: true, include_citations };
      const events = await (await openStream(host.url, { apiKey: KEY, body })).end();
      const answer = String(events.at(-1)?.data['answer']);
      expect(joined(events)).toBe(isLate ? answer.replaceAll(/\[\d+\]/g, '') : answer);
      expect(events.filter(({ event }) => event === 'delta').length).toBeGreaterThan(3);
      expect(events.at(-1)?.event).toBe('done');
    }
    expect(logged).toEqual([]);
  });
});
