import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/time/clock.js';
import type { BodyLimits, BodyWriter, GatewayRequest, GatewayResponse } from './gateway-request.js';
import { toFetchHandler } from './to-fetch-handler.js';

const LIMITS = { maxBodyBytes: 10, bodyTimeoutMs: 1_000, clock: systemClock };
const text = (body: string): GatewayResponse => ({
  status: 200,
  headers: { 'content-length': String(body.length) },
  body,
});

/** A gateway that shows the one request it got. */
function seeing(respond: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse> = () => text('ours')) {
  const seen: GatewayRequest[] = [];
  const handle = async (request: GatewayRequest) => {
    if (!request.path.startsWith('/api/')) return undefined;
    seen.push(request);
    return respond(request);
  };
  return { gateway: { handle }, seen };
}

/** Answers once the body is there. */
async function readThen(request: GatewayRequest, limits: BodyLimits): Promise<GatewayResponse> {
  await request.readBody(limits);
  return text('');
}

/** A gateway whose answer is a stream that the test writes. */
function streaming() {
  let give: (writer: BodyWriter) => void = () => undefined;
  const written = new Promise<BodyWriter>((resolve) => (give = resolve));
  const body = { pipeTo: (writer: BodyWriter) => give(writer) };
  return { ...seeing(() => ({ status: 200, headers: {}, body })), written };
}

function post(body: NonNullable<RequestInit['body']> | null): Request {
  return new Request('https://x.test/api/v1/answer', { method: 'POST', body, duplex: 'half' });
}

const refused = (reason: string) => expect.objectContaining({ reason });

describe('toFetchHandler', () => {
  it('takes method, path, query and headers from the request', async () => {
    const { gateway, seen } = seeing();
    await toFetchHandler(gateway)(
      new Request('https://x.test/api/v1/models?category=a%20b&c', { headers: { 'X-Request-Id': '7' } }),
    );
    expect(seen[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/models',
      query: 'category=a%20b&c',
      disconnected: false,
    });
    expect(seen[0]?.header('x-request-id')).toBe('7');
    expect(seen[0]?.header('authorization')).toBeUndefined();
  });

  it('takes the prefix off, and leaves everything that is not below it to the host', async () => {
    const { gateway, seen } = seeing();
    const handler = toFetchHandler(gateway, {
      prefix: '/search',
      otherwise: ({ url }) => new Response(`not for us: ${new URL(url).pathname}`),
    });
    expect(await (await handler(new Request('https://x.test/search/api/v1/key'))).text()).toBe('ours');
    expect(seen[0]?.path).toBe('/api/v1/key');
    expect(await (await handler(new Request('https://x.test/api/v1/key'))).text()).toBe('not for us: /api/v1/key');
    expect(await (await handler(new Request('https://x.test/search/other'))).text()).toBe('not for us: /search/other');
  });

  it('sends a streamed body part by part, and distinguishes a caller who has gone away from an end', async () => {
    const { gateway, written } = streaming();
    const response = await toFetchHandler(gateway)(post('{}'));
    const reader = response.body?.getReader();
    const writer = await written;
    writer.write('one');
    expect(writer.bufferedBytes).toBe(3);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
    expect([writer.bufferedBytes, writer.isClosed]).toEqual([0, false]);
    writer.end();
    expect(await reader?.read()).toMatchObject({ done: true });
    expect(writer.isClosed).toBe(false);

    const second = streaming();
    const other = await toFetchHandler(second.gateway)(post('{}'));
    await other.body?.cancel();
    const gone = await second.written;
    gone.write('too late');
    gone.end();
    expect(gone.isClosed).toBe(true);
  });

  it('breaks off a streamed body that is closed before its end', async () => {
    const { gateway, written } = streaming();
    const response = await toFetchHandler(gateway)(post('{}'));
    const writer = await written;
    writer.write('one');
    writer.destroy();
    writer.write('two');
    writer.end();
    await expect(response.text()).rejects.toThrow('the answer was not read in time');
  });

  it('answers a bare 404 by default', async () => {
    const response = await toFetchHandler(seeing().gateway)(new Request('https://x.test/'));
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 404, body: '' });
  });

  it('refuses a malformed prefix when it is built', () => {
    expect(() => toFetchHandler(seeing().gateway, { prefix: 'search/' })).toThrow(/^prefix: found "search\/"/);
  });

  it('refuses a value that is no gateway, and invalid options, when it is built', () => {
    expect(() => toFetchHandler(seeing().gateway, null as never)).toThrow('options: found null, expected an object');
    expect(() => toFetchHandler(undefined as never)).toThrow('gateway: found nothing, expected a gateway');
  });

  it('passes on statuses that have no body', async () => {
    const { gateway } = seeing(() => ({ status: 304, headers: { etag: '"1"' }, body: null }));
    const response = await toFetchHandler(gateway)(new Request('https://x.test/api/'));
    expect({ status: response.status, etag: response.headers.get('etag'), body: response.body }).toEqual({
      status: 304,
      etag: '"1"',
      body: null,
    });
  });

  it('reads the body within its limit', async () => {
    const { gateway } = seeing(async (request) => {
      const body = await request.readBody(LIMITS);
      return text('bytes' in body ? Buffer.from(body.bytes).toString() : 'parsed');
    });
    expect(await (await toFetchHandler(gateway)(post('0123456789'))).text()).toBe('0123456789');
    expect(await (await toFetchHandler(gateway)(post(null))).text()).toBe('');
    await expect(toFetchHandler(gateway)(post('0123456789x'))).rejects.toEqual(refused('request_too_large'));
  });

  it('stops the source of a body that is too large', async () => {
    const { gateway } = seeing((request) => readThen(request, LIMITS));
    const canceled = new Promise((resolve) => {
      const source = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(6)),
        cancel: resolve,
      });
      void toFetchHandler(gateway)(post(source)).catch(() => undefined);
    });
    expect(await canceled).toEqual(refused('request_too_large'));
    expect(await canceled).toMatchObject({ details: { maxBodyBytes: 10 } });
  });

  it('waits for a body only so long', async () => {
    const clock = createFakeClock();
    const { gateway } = seeing((request) => readThen(request, { ...LIMITS, clock }));
    const response = toFetchHandler(gateway)(post(new ReadableStream()));
    response.catch(() => undefined);
    await clock.advance(1_000);
    await expect(response).rejects.toEqual(refused('request_timeout'));
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no timer once the body is there', async () => {
    const clock = createFakeClock();
    const { gateway } = seeing((request) => readThen(request, { ...LIMITS, clock }));
    await toFetchHandler(gateway)(post('{}'));
    expect(clock.pendingTimers).toBe(0);
  });

  it('treats a broken body as a caller who has gone away', async () => {
    const { gateway } = seeing((request) => readThen(request, LIMITS));
    const reset = new Error('reset');
    const source = new ReadableStream({ start: (controller) => controller.error(reset) });
    const gone = expect.objectContaining({ reason: 'client_closed_request', cause: reset });
    await expect(toFetchHandler(gateway)(post(source))).rejects.toEqual(gone);
  });

  it('ignores the signal of a request after its body was read', async () => {
    const caller = new AbortController();
    const disconnected: boolean[] = [];
    const { gateway } = seeing(async (request) => {
      await request.readBody(LIMITS);
      caller.abort();
      disconnected.push(request.disconnected);
      return text('charged');
    });
    const request = new Request(post('{}'), { signal: caller.signal });
    expect(await (await toFetchHandler(gateway)(request)).text()).toBe('charged');
    expect(disconnected).toEqual([false]);
  });

  it('notices before the body was read that the caller has gone away', async () => {
    const caller = new AbortController();
    const { gateway, seen } = seeing(() => {
      caller.abort();
      return text('');
    });
    await toFetchHandler(gateway)(new Request('https://x.test/api/', { signal: caller.signal }));
    expect(seen[0]?.disconnected).toBe(true);
  });
});
