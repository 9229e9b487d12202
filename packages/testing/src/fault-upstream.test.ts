import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from './fake-clock.js';
import { startFaultUpstream } from './fault-upstream.js';
import type { FaultScript } from './play-fault.js';

const HEALTHY = '{"answer":"yes"}';

async function start(script: Partial<FaultScript> = {}) {
  const upstream = await startFaultUpstream({ healthyReply: { body: HEALTHY }, ...script });
  onTestFinished(() => upstream.close());
  return upstream;
}

function open(url: string): ClientRequest {
  const call = request(url, { method: 'POST', agent: false });
  call.on('error', () => undefined);
  call.end('{"query":"q"}');
  return call;
}

async function post(
  url: string,
): Promise<{ status: number | undefined; body: string; headers: IncomingMessage['headers'] }> {
  const [response] = (await once(open(url), 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), headers: response.headers };
}

describe('a fault upstream', () => {
  it('is healthy at first and records its requests', async () => {
    const upstream = await start({ healthyReply: { status: 201, headers: { 'x-request': '1' }, body: HEALTHY } });
    const reply = await post(`${upstream.url}/v1/answer?x=1`);
    expect(reply).toMatchObject({ status: 201, body: HEALTHY });
    expect(reply.headers).toMatchObject({ 'x-request': '1', 'content-type': 'application/json' });
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({ method: 'POST', url: '/v1/answer?x=1', body: '{"query":"q"}' });
    expect(upstream.requests[0]?.headers).toHaveProperty('content-length', '13');
    expect(upstream.connections).toBe(1);
  });

  it('fails a number of times and is then healthy', async () => {
    const upstream = await start();
    await upstream.setFault('status_503', { times: 2 });
    const statuses = [await post(upstream.url), await post(upstream.url), await post(upstream.url)];
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it('lets a function decide request by request', async () => {
    const upstream = await start();
    await upstream.setFault(({ url }, index) => (url === '/bad' && index > 0 ? 'status_404' : 'healthy'));
    expect((await post(`${upstream.url}/bad`)).status).toBe(200);
    expect((await post(`${upstream.url}/bad`)).status).toBe(404);
    expect((await post(`${upstream.url}/good`)).status).toBe(200);
  });

  it('uses the provider’s reply shapes given by the test', async () => {
    const upstream = await start({ replies: { status_401: { status: 401, body: '{"tag":"INVALID_API_KEY"}' } } });
    await upstream.setFault('status_401');
    await expect(post(upstream.url)).resolves.toMatchObject({ status: 401, body: '{"tag":"INVALID_API_KEY"}' });
    await upstream.setFault('status_429_retry_after');
    expect((await post(upstream.url)).headers).toHaveProperty('retry-after', '2');
  });

  it('refuses connections on the same address until changed', async () => {
    const upstream = await start();
    await upstream.setFault('connection_refused');
    await expect(once(open(upstream.url), 'response')).rejects.toHaveProperty('code', 'ECONNREFUSED');
    await upstream.setFault('connection_refused');
    await upstream.setFault('healthy');
    expect((await post(upstream.url)).status).toBe(200);
    await expect(upstream.setFault('connection_refused', { times: 1 })).rejects.toThrow('cannot be counted');
  });

  it('signals when a request has been served as far as possible', async () => {
    const upstream = await start();
    await upstream.setFault('headers_then_stall');
    let status: number | undefined;
    const call = open(upstream.url).on('response', (response) => {
      status = response.statusCode;
    });
    await upstream.served(1);
    expect(status).toBe(200);
    call.destroy();
  });

  it('drips one byte per interval, except the last byte', async () => {
    const clock = createFakeClock();
    const upstream = await start({ clock, dripIntervalMs: 10 });
    await upstream.setFault('slow_drip');
    let received = '';
    const call = open(upstream.url).on('response', (response) => {
      response.on('data', (chunk: Buffer) => {
        received += chunk.toString();
      });
      response.on('error', () => undefined);
    });
    await upstream.served(1);
    expect(received).toBe(HEALTHY.slice(0, 1));
    await clock.advance(20);
    await upstream.served(1);
    expect(received).toBe(HEALTHY.slice(0, 3));
    await clock.advance(10_000);
    await upstream.served(1);
    expect(received).toBe(HEALTHY.slice(0, -1));
    call.destroy();
  });

  it('ends every connection when it is closed, and leaves no timer', async () => {
    const clock = createFakeClock();
    const upstream = await start({ clock });
    await upstream.setFault('slow_drip');
    const call = open(upstream.url);
    call.on('response', (response) => response.on('error', () => undefined));
    const hungUp = once(call, 'close');
    await upstream.served(1);
    await upstream.close();
    await hungUp;
    expect(clock.pendingTimers).toBe(0);
    await upstream.close();
  });
});
