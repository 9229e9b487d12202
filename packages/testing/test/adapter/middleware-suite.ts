import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type AuthenticatedRequest, createGateway, type Gateway, memoryLedger } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultUpstream, type NodeListener, startFaultUpstream, type WireResponse } from '../../src/index.js';
import { serve, stopAfterEach } from './mounted-echo.js';

export const REPLY = { answer: 'Thirty days [1].', citations: [{ url: 'https://example.org/', title: 'Leave' }] };
export const QUESTION = JSON.stringify({ model: 'exa/answer', query: 'How much leave do I get?' });
const MAX_BODY_BYTES = 1_000;

export type Headers = Readonly<Record<string, string>>;
export type Send = (target: string, headers?: Headers, method?: string, text?: string) => Promise<TextResponse>;
interface TextResponse extends WireResponse {
  /** Decompressed. */
  readonly text: string;
}

/** An application with sessions, compression, security headers and a response time around the router. */
export interface Application {
  readonly listener: NodeListener;
  /** What has reached the application's error handlers. */
  readonly errors: readonly unknown[];
  /** The statuses its outermost middleware has seen, in frameworks that come back to it. */
  readonly statuses?: readonly number[] | undefined;
}

export interface MiddlewareSuite<Host> {
  /** Who is logged in, by the framework's own request. */
  readonly userOf: (host: Host | undefined) => string | undefined;
  /** The router of this gateway, mounted at the root of an application. */
  readonly application: (gateway: Gateway<Host>) => Application;
  /** The headers of a request by a user who has logged in. */
  readonly logIn: (send: Send) => Promise<Headers>;
  /** Headers that the middleware around the router adds to every response. */
  readonly marks: Readonly<Record<string, unknown>>;
  /** Checks all that the middleware around the router leaves on a response. */
  readonly expectMiddleware: (headers: WireResponse['headers'], status: number) => void;
}

/**
 * Tests that hold for every framework: responses of the router are compressed, cached and cut off like those of any other route.
 * Registers the cleanup of the file too.
 *
 * @returns the gateway under test, once the tests run.
 */
export function middlewareSuite<Host>(suite: MiddlewareSuite<Host>): () => Gateway<Host> {
  const { application, logIn, marks, expectMiddleware } = suite;
  const gateway = useGateway(suite);

  it.each(['br', 'gzip'])('lets responses be compressed: %s', async (encoding) => {
    const send = await start(application(gateway()));
    const alice = await logIn(send);
    const plain = await send('/api/v1/models', { ...alice, 'accept-encoding': 'identity' });
    const small = await send('/api/v1/models', { ...alice, 'accept-encoding': encoding });
    expect(small.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(small.headers['content-length']).toBeUndefined();
    expect(small.body.byteLength).toBeLessThan(plain.body.byteLength / 2);
    expect(small.text).toBe(plain.text);
    expectMiddleware(small.headers, 200);
    const key = await send('/api/v1/key', { ...alice, 'accept-encoding': encoding });
    expect(JSON.parse(key.text)).toMatchObject({ label: 'ada' });
    expectMiddleware(key.headers, 200);
  });

  it('answers HEAD and 304 without a body, with the headers of the whole', async () => {
    const send = await start(application(gateway()));
    const alice = { ...(await logIn(send)), 'accept-encoding': 'identity' };
    const whole = await send('/api/v1/models', alice);
    const head = await send('/api/v1/models', alice, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-type', 'content-length', 'etag'])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    expectMiddleware(head.headers, 200);
    const unchanged = await send('/api/v1/models', { ...alice, 'if-none-match': whole.headers['etag'] ?? '' });
    expect(unchanged).toMatchObject({ status: 304, text: '', headers: { etag: whole.headers['etag'] } });
    expectMiddleware(unchanged.headers, 304);
    const key = await send('/api/v1/key', alice, 'HEAD');
    expect(key).toMatchObject({ status: 200, text: '' });
    expect(Number(key.headers['content-length'])).toBeGreaterThan(0);
  });

  it.each([
    ['identity', 'content-length'],
    ['gzip', 'transfer-encoding'],
  ])('closes the connection of a body it does not read, also around it (%s)', async (encoding, framing) => {
    const { listener, errors, statuses = [413] } = application(gateway());
    const alice = await logIn(await start({ listener }));
    const text = await sendTooMuch(listener, { ...alice, 'accept-encoding': encoding }, encoding === 'identity');
    expect(text).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    const headers = Object.fromEntries(
      [...text.matchAll(/^([\w-]+): (.*)\r$/gm)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    );
    expect(headers).toMatchObject({ connection: 'close', ...marks });
    expect(headers[framing]).toBeDefined();
    expect(text).toMatch(/^set-cookie: (?:connect\.sid|koa\.sess)=/im);
    expect({ errors, status: statuses.at(-1) }).toEqual({ errors: [], status: 413 });
  });

  return gateway;
}

/** Serves an application until the end of the test. */
export async function start({ listener }: Pick<Application, 'listener'>): Promise<Send> {
  const host = await serve(listener);
  return async (target, headers = {}, method = 'GET', text?: string) => {
    const body =
      text === undefined ? null : ({ chunks: [Buffer.from(text)], framing: 'length', stalls: false } as const);
    const response = await host.send({ method, target, headers, body }).response;
    return { ...response, text: decode(response.headers['content-encoding'], Buffer.from(response.body)) };
  };
}

function useGateway<Host>({ userOf }: MiddlewareSuite<Host>): () => Gateway<Host> {
  let upstream: FaultUpstream;
  let gateway: Gateway<Host>;
  beforeAll(async () => {
    upstream = await startFaultUpstream({ healthyReply: { body: JSON.stringify(REPLY) } });
    gateway = createGateway({
      providers: [exa({ apiKey: 'upstream-key', baseUrl: upstream.url })],
      ledger: memoryLedger({ credits: { acme: '10' } }),
      maxBodyBytes: MAX_BODY_BYTES,
      authenticate(_token, { host }: AuthenticatedRequest<Host>) {
        const user = userOf(host);
        return user === undefined ? null : { id: `user-${user}`, organizationId: 'acme', label: user };
      },
    });
  });
  stopAfterEach();
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });
  return () => gateway;
}

/** Sends a body above the limit, and its end only later. @param reads whether the response is read before that end. @returns the whole response. */
async function sendTooMuch(listener: NodeListener, headers: Headers, reads: boolean): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const head = [
    'POST /api/v1/answer HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    'transfer-encoding: chunked',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const chunk = 'x'.repeat(MAX_BODY_BYTES + 1);
  socket.write(`${head.join('\r\n')}\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  const arrived: Buffer[] = [];
  while (reads && !Buffer.concat(arrived).includes('request_too_large'))
    arrived.push((await once(socket, 'data'))[0] as Buffer);
  socket.write('0\r\n\r\n');
  for await (const rest of socket) arrived.push(rest as Buffer);
  server.close();
  return Buffer.concat(arrived).toString('latin1');
}

function decode(encoding: string | undefined, body: Buffer): string {
  if (encoding === undefined || body.byteLength === 0) return body.toString();
  return (encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
}
