import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, memoryApiKeys, memoryLedger } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import { serve } from './every-model/serve.js';
import { eventsOf, RECORDED_STREAMS } from './recorded-streams.js';
import { joined, openStream } from './stream-client.js';

const KEY = 'a-secret-of-twenty-characters';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

describe('a recorded stream through the gateway', () => {
  it.each(RECORDED_STREAMS)('of $model arrives in parts that add up to the answer', async (stream) => {
    const { model, create, isLate } = stream;
    const text = eventsOf(stream).join('');
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
      expect(events.filter(({ event }) => event === 'delta').length).toBeGreaterThan(1);
      expect(events.at(-1)?.event).toBe('done');
    }
    expect(logged).toEqual([]);
  });
});
