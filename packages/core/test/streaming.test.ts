import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, type GatewayEvent, memoryApiKeys, memoryLedger } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import { exa } from '../src/providers/index.js';
import { type Served, serve } from './every-model/serve.js';
import { joined, openStream, type UpstreamCall } from './stream-client.js';

const KEY = 'a-secret-of-twenty-characters';
const SOURCES = [
  { id: 'https://example.org/a', url: 'https://example.org/a', title: 'A' },
  { id: 'https://example.org/b', url: 'https://example.org/b', title: 'B' },
];
const delta = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const LAST = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], costDollars: { total: 0.005 } };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A gateway with one provider over a loopback upstream; the test answers its calls one by one. */
async function start() {
  const calls: UpstreamCall[] = [];
  let wake = (): void => undefined;
  const upstream: Served = await serve((req, res) => {
    const chunks: Buffer[] = [];
    req
      .on('data', (chunk: Buffer) => void chunks.push(chunk))
      .once('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        res.setHeader('content-type', 'text/event-stream');
        const send = (event: object | string) =>
          void res.write(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`);
        calls.push({ body, res, send, end: () => void res.end('data: [DONE]\n\n') });
        wake();
      });
  });
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: { acme: '10.00' } });
  const gateway = createGateway({
    providers: [exa({ apiKey: 'a-key', baseUrl: upstream.url })],
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: null }]),
    ledger,
    retryBaseDelayMs: 0,
    onEvent: (event) => void events.push(event),
  });
  const host = await serve((req, res) => void handleNode(gateway, { req, res }));
  stops.push(
    () => upstream.close(),
    () => host.close(),
    () => gateway.close(),
  );
  return {
    gateway,
    events,
    ask: () => openStream(host.url, { apiKey: KEY, body: { model: 'exa/answer', query: 'When?', stream: true } }),
    async call(index = 0): Promise<UpstreamCall> {
      while (calls.length <= index) await new Promise<void>((resolve) => (wake = resolve));
      return calls[index] as UpstreamCall;
    },
    totals: () => ledger.organizationTotals('acme'),
    kinds: async () =>
      (await ledger.entries({ organizationId: 'acme' })).entries.map(({ kind, amount }) => [kind, amount]),
  };
}

describe('a streamed answer', () => {
  it('arrives in parts, and ends with the body of the same call without stream', async () => {
    const { ask, call, totals, events, gateway } = await start();
    const pending = ask();
    const upstream = await call();
    expect(upstream.body).toMatchObject({ stream: true });
    upstream.send({ citations: SOURCES });
    upstream.send(delta('It opened'));
    const response = await pending;
    expect(response.message).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-request-id': expect.stringMatching(/^req_/),
      },
    });
    expect(response.message.headers['content-length']).toBeUndefined();
    expect((await response.count(3)).map(({ event }) => event)).toEqual(['start', 'citations', 'delta']);
    upstream.send(delta(' in 2021 ['));
    upstream.send(delta('1, 2]. Later'));
    await response.count(5);
    upstream.send(delta(' [7] it closed. '));
    upstream.send(LAST);
    upstream.end();
    const all = await response.end();
    expect(joined(all)).toBe('It opened in 2021 [1][2]. Later [7] it closed.');
    expect(all[0]?.data).toEqual({ id: expect.stringMatching(/^ans_/), model: 'exa/answer', provider: 'exa' });
    expect(all.at(-1)).toEqual({
      event: 'done',
      data: {
        ...all[0]?.data,
        answer: 'It opened in 2021 [1][2]. Later [7] it closed.',
        citations: [
          { title: 'A', url: 'https://example.org/a', snippet: '' },
          { title: 'B', url: 'https://example.org/b', snippet: '' },
        ],
        usage: { cost: 0.005 },
      },
    });
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
    await gateway.close();
    expect(events.find(({ type }) => type === 'request_finished')).toMatchObject({
      status: 200,
      reason: null,
      firstContentMs: expect.any(Number),
      cost: 5_000_000n,
    });
  });

  it.each([
    ['that goes on', [SOURCES.slice(0, 1), SOURCES.slice(1)]],
    ['that begins again', [SOURCES.slice(0, 1), SOURCES]],
  ])('reads a list of citations %s', async (_what, [first, second]) => {
    const { ask, call } = await start();
    const pending = ask();
    const upstream = await call();
    upstream.send({ citations: first });
    upstream.send(delta('Yes [1], '));
    upstream.send({ citations: second });
    upstream.send(delta('no [2].'));
    upstream.send(LAST);
    upstream.end();
    const all = await (await pending).end();
    expect(joined(all)).toBe('Yes [1], no [2].');
    expect(all.at(-1)?.data['citations']).toMatchObject([{ title: 'A' }, { title: 'B' }]);
  });

  it('arrives in one part from an upstream that ignores the request to stream', async () => {
    const { ask, call } = await start();
    const pending = ask();
    const upstream = await call();
    upstream.res.setHeader('content-type', 'application/json');
    upstream.res.end(JSON.stringify({ answer: 'Yes [1].', citations: SOURCES, costDollars: { total: 0.005 } }));
    const all = await (await pending).end();
    expect(all.map(({ event }) => event)).toEqual(['start', 'citations', 'delta', 'done']);
    expect(all.at(-1)?.data).toMatchObject({ answer: 'Yes [1].', usage: { cost: 0.005 } });
  });

  it('is complete, and charged its cost, if the connection breaks after the last event', async () => {
    const { ask, call, kinds } = await start();
    const pending = ask();
    const upstream = await call();
    upstream.send({ citations: SOURCES });
    upstream.send(delta('Yes [1].'));
    const response = await pending;
    upstream.send({ ...LAST, costDollars: { total: 0.0042 } });
    upstream.res.write('data: [DONE]\n\n', () => upstream.res.destroy());
    const all = await response.end();
    expect(all.at(-1)).toMatchObject({ event: 'done', data: { answer: 'Yes [1].', usage: { cost: 0.0042 } } });
    expect(await kinds()).toEqual([
      ['grant', 10_000_000_000n],
      ['charge', 4_200_000n],
    ]);
  });
});
