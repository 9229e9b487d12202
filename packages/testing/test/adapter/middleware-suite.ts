import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type AuthenticatedRequest, createGateway, type Gateway, memoryLedger } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeListener, WireResponse } from '../../src/index.js';
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
  /** Errors that reached the application's error handlers. */
  readonly errors: readonly unknown[];
  /** The statuses seen by its outermost middleware, if the framework returns to it. */
  readonly statuses?: readonly number[] | undefined;
}

export interface MiddlewareSuite<Host> {
  /** The logged-in user of a framework's request. */
  readonly userOf: (host: Host | undefined) => string | undefined;
  /** An application with the gateway's router mounted at its root. */
  readonly application: (gateway: Gateway<Host>) => Application;
  /** The headers of a logged-in user's request. */
  readonly logIn: (send: Send) => Promise<Headers>;
  /** Headers that the middleware around the router adds to every response. */
  readonly marks: Readonly<Record<string, unknown>>;
  /** Checks the effects of the middleware around the router on a response. */
  readonly expectMiddleware: (headers: WireResponse['headers'], status: number) => void;
}

/**
 * Tests for every framework: responses of the router are compressed, cached and cut off like those of any other route.
 * Also registers the cleanup of the file.
 *
 * @returns the gateway under test, available while tests run.
 */
export function middlewareSuite<Host>(suite: MiddlewareSuite<Host>): () => Gateway<Host> {
  const { application, logIn, marks, expectMiddleware } = suite;
  const { gateway, release } = useGateway(suite);

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
    const sent = await sendTooMuch(listener, { ...alice, 'accept-encoding': encoding }, encoding === 'identity');
    expect(sent).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    const headers = Object.fromEntries(
      [...sent.matchAll(/^([\w-]+): (.*)\r$/gm)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    );
    expect(headers).toMatchObject({ connection: 'close', ...marks });
    expect(headers[framing]).toBeDefined();
    expect(sent).toMatch(/^set-cookie: (?:connect\.sid|koa\.sess)=/im);
    expect({ errors, status: statuses.at(-1) }).toEqual({ errors: [], status: 413 });
  });

  it.each(['identity', 'gzip', 'br'])('sends each event of an answer at once (%s)', async (encoding) => {
    const { listener, errors } = application(gateway());
    const alice = await logIn(await start({ listener }));
    const headers = { ...alice, 'content-type': 'application/json', 'accept-encoding': encoding };
    const question = Buffer.from(JSON.stringify({ ...JSON.parse(QUESTION), stream: true }));
    const body = { chunks: [question], framing: 'length', stalls: false } as const;
    const host = await serve(listener);
    const { response, received } = host.send({ method: 'POST', target: '/api/v1/answer', headers, body });
    await received('event: delta\ndata: {"text":"Thirty"}\n\n');
    release();
    const whole = await response;
    expect(whole.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', ...marks });
    expect(whole.headers['content-encoding']).toBeUndefined();
    expectMiddleware(whole.headers, 200);
    expect(Buffer.from(whole.body).toString()).toContain('event: done\ndata: {"id":"ans_');
    expect(errors).toEqual([]);
  });

  return gateway;
}

/** Serves an application until the end of the test. */
export async function start({ listener }: Pick<Application, 'listener'>): Promise<Send> {
  const host = await serve(listener);
  return async (target, headers = {}, method = 'GET', content?: string) => {
    const body =
      content === undefined ? null : ({ chunks: [Buffer.from(content)], framing: 'length', stalls: false } as const);
    const response = await host.send({ method, target, headers, body }).response;
    return { ...response, text: decode(response.headers['content-encoding'], Buffer.from(response.body)) };
  };
}

const sse = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (content: string) => sse({ choices: [{ index: 0, delta: { content } }] });
/** The same reply as events, in two halves. */
const STREAMED = [
  sse({ citations: REPLY.citations }) + delta('Thirty'),
  delta(' days [1].') + sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + 'data: [DONE]\n\n',
] as const;

/** A minimal fake of Exa. The test ends a streamed reply. */
async function startUpstream() {
  let release = (): void => undefined;
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const { stream } = JSON.parse(body) as { stream: boolean };
      if (!stream) {
        res.end(JSON.stringify(REPLY));
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(STREAMED[0]);
      release = () => void res.end(STREAMED[1]);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => release(),
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function useGateway<Host>({ userOf }: MiddlewareSuite<Host>) {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let gateway: Gateway<Host>;
  beforeAll(async () => {
    upstream = await startUpstream();
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
  return { gateway: () => gateway, release: () => upstream.release() };
}

/** Sends an oversized body with a delayed end. @param reads whether the response is read before that end. @returns the whole response. */
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
