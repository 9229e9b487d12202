import { describe, expect, it } from 'vitest';
import { createClient, isSearchgateError } from '../src/index.js';
import {
  ANSWER,
  failing,
  impatientClient,
  json,
  KEY,
  listen,
  OVERLOADED,
  QUESTION,
  type Reply,
  scriptedServer,
} from './stage.js';

const html =
  (status: number): Reply =>
  (res) =>
    res.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
const hangUp: Reply = (res) => res.destroy();
const stall: Reply = () => undefined;

async function reasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    if (!isSearchgateError(error)) throw error;
    return error.reason;
  }
}

describe('a request', () => {
  it('has the API key, the question with the names of the wire, and a random Idempotency-Key', async () => {
    const { url, seen } = await scriptedServer(json(200, ANSWER));
    const client = createClient({ baseUrl: `${url}/a/b`, apiKey: KEY, headers: { 'X-Team': 'blue' } });
    await client.answer({ ...QUESTION, includeCitations: false, cache: 'refresh', search: null });
    const [request] = seen;
    expect(request).toMatchObject({ method: 'POST', url: '/a/b/api/v1/answer' });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'cache-control': 'no-cache',
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
      'x-team': 'blue',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ ...QUESTION, include_citations: false, search: null });
  });

  it('without a charge has no Idempotency-Key', async () => {
    const { url, seen } = await scriptedServer(json(200, { data: [] }));
    await createClient({ baseUrl: url, apiKey: KEY }).models({ category: 'answer' });
    expect(seen[0]?.url).toBe('/api/v1/models?category=answer');
    expect(seen[0]?.headers['idempotency-key']).toBeUndefined();
  });

  it('goes through the fetch of the options', async () => {
    const urls: string[] = [];
    const fetchOnce = (url: string) => {
      urls.push(url);
      return Promise.resolve(Response.json(ANSWER));
    };
    const client = createClient({ baseUrl: 'https://gateway.test/', fetch: fetchOnce });
    expect(await client.answer(QUESTION)).toEqual(ANSWER);
    expect(urls).toEqual(['https://gateway.test/api/v1/answer']);
  });

  it.each([
    [{ idempotencyKey: 'two\nlines' }, /idempotencyKey/],
    [{ cache: 'never' as 'off' }, /cache/],
    [{ timeoutMs: 0 }, /timeoutMs/],
  ])('with %j is refused before it is sent', async (wrong, message) => {
    const { url, seen } = await scriptedServer(json(200, ANSWER));
    const client = createClient({ baseUrl: url, apiKey: KEY });
    await expect(client.answer({ ...QUESTION, ...wrong })).rejects.toThrow(message);
    await expect(client.answerStream({ ...QUESTION, ...wrong }).next()).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });
});

describe('a retryable failure', () => {
  it('is tried again under the same Idempotency-Key, after the wait of Retry-After', async () => {
    const busy = failing(503, { reason: 'overloaded', retryable: true }, { 'retry-after': '7' });
    const { url, seen } = await scriptedServer(busy, json(200, ANSWER));
    const { client, waits } = impatientClient(url);
    expect(await client.answer(QUESTION)).toEqual(ANSWER);
    expect(waits).toEqual([7_000]);
    const [first, second] = seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(second);
  });

  it('is retried twice, after growing waits, then thrown', async () => {
    const { url, seen } = await scriptedServer(OVERLOADED);
    const { client, waits } = impatientClient(url);
    await expect(client.answer(QUESTION)).rejects.toMatchObject({
      reason: 'overloaded',
      status: 503,
      requestId: 'req_1',
    });
    expect([seen.length, waits]).toEqual([3, [375, 750]]);
  });

  it('is thrown at once with maxRetries 0', async () => {
    const { url, seen } = await scriptedServer(OVERLOADED);
    expect(await reasonOf(impatientClient(url, { maxRetries: 0 }).client.answer(QUESTION))).toBe('overloaded');
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['header', failing(429, { reason: 'rate_limited', retryable: true }, { 'retry-after': '61' }), 61_000],
    ['body', failing(429, { reason: 'rate_limited', retryable: true, metadata: { retry_after: 86_400 } }), 86_400_000],
  ])('is thrown at once if its %s asks for more than a minute', async (_where, reply, retryAfterMs) => {
    const { url, seen } = await scriptedServer(reply);
    await expect(impatientClient(url).client.answer(QUESTION)).rejects.toMatchObject({ retryAfterMs });
    expect(seen).toHaveLength(1);
  });

  it('is thrown at once if the wait would outlast the call', async () => {
    const { url, seen } = await scriptedServer(
      failing(503, { reason: 'overloaded', retryable: true }, { 'retry-after': '5' }),
    );
    const asked = impatientClient(url).client.answer({ ...QUESTION, timeoutMs: 5_000 });
    expect(await reasonOf(asked)).toBe('overloaded');
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['a date that has passed', 'Sun, 22 Nov 2015 10:00:00 GMT', 0],
    ['no time at all', 'soon', 375],
  ])('with a Retry-After of %s waits accordingly', async (_what, header, wait) => {
    const busy = failing(503, { reason: 'overloaded', retryable: true }, { 'retry-after': header });
    const { client, waits } = impatientClient((await scriptedServer(busy, json(200, ANSWER))).url);
    await client.answer(QUESTION);
    expect(waits).toEqual([wait]);
  });

  it('is a proxy’s reply with a temporary status', async () => {
    const { url, seen } = await scriptedServer(html(502), html(504), json(200, ANSWER));
    expect(await impatientClient(url).client.answer(QUESTION)).toEqual(ANSWER);
    expect(seen).toHaveLength(3);
  });

  it.each<[string, Reply]>([
    ['before the reply', hangUp],
    [
      'within the reply',
      (res) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        res.write('{"id":"ans_1"', () => res.destroy());
      },
    ],
  ])('is a connection that is lost %s', async (_when, lost) => {
    const { url, seen } = await scriptedServer(lost, json(200, ANSWER));
    expect(await impatientClient(url).client.answer(QUESTION)).toEqual(ANSWER);
    expect(seen).toHaveLength(2);
  });

  it('is a gateway that cannot be reached', async () => {
    const { client, waits } = impatientClient('http://127.0.0.1:1');
    await expect(client.key()).rejects.toMatchObject({ reason: 'connection_failed', status: null, requestId: null });
    expect(waits).toHaveLength(2);
  });
});

describe('a permanent failure', () => {
  it('is thrown at once', async () => {
    const { url, seen } = await scriptedServer(failing(401, { reason: 'invalid_api_key', retryable: false }));
    expect(await reasonOf(impatientClient(url).client.credits())).toBe('invalid_api_key');
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['a page', html(200)],
    ['a page that is not found', html(404)],
    ['JSON of something else', json(200, { status: 'ok' })],
    ['an empty reply', (res) => res.writeHead(204).end()],
    ['null', json(200, null)],
    ['JSON that is cut', (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"answer":"Y')],
    ['an error of another form', json(400, { error: 'no' })],
    [
      'a reply without end',
      (res) => {
        res.writeHead(200, { 'content-type': 'application/json' });
        const piece = `"${'x'.repeat(1_000_000)}`;
        const write = () => res.writable && res.write(piece, (error) => (error ? undefined : write()));
        write();
      },
    ],
  ])('is %s in place of a gateway', async (_what, reply) => {
    const { url, seen } = await scriptedServer(reply);
    expect(await reasonOf(impatientClient(url).client.answer(QUESTION))).toBe('invalid_reply');
    expect(seen).toHaveLength(1);
  });

  it('is a redirect, which does not get the key', async () => {
    const elsewhere = await scriptedServer(json(200, ANSWER));
    const { url } = await scriptedServer((res) => res.writeHead(307, { location: elsewhere.url }).end());
    const asked = impatientClient(url).client.answer(QUESTION);
    await expect(asked).rejects.toMatchObject({ reason: 'invalid_reply', status: 307, retryable: false });
    expect(elsewhere.seen).toEqual([]);
  });
});

describe('a call ends', () => {
  it.each<[string, Reply]>([
    ['no reply', stall],
    ['half a reply', (res) => res.writeHead(200, { 'content-type': 'application/json' }).write('{')],
  ])('with a timeout without %s in time', async (_what, reply) => {
    const { url, seen } = await scriptedServer(reply);
    const asked = createClient({ baseUrl: url, apiKey: KEY, timeoutMs: 100 }).answer(QUESTION);
    await expect(asked).rejects.toMatchObject({ reason: 'timeout', retryable: true });
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  it('at once when its signal is aborted, with the signal’s reason', async () => {
    const controller = new AbortController();
    const url = await listen(() => controller.abort('changed my mind'));
    const asked = createClient({ baseUrl: url, apiKey: KEY }).answer({ ...QUESTION, signal: controller.signal });
    await expect(asked).rejects.toMatchObject({ reason: 'aborted', retryable: false, cause: 'changed my mind' });
  });

  it('without a request if its signal was already aborted', async () => {
    const { url, seen } = await scriptedServer(json(200, {}));
    const { client } = impatientClient(url);
    expect(await reasonOf(client.key({ signal: AbortSignal.abort() }))).toBe('aborted');
    expect(seen).toEqual([]);
  });

  it('during the wait for a retry', async () => {
    const controller = new AbortController();
    const { url } = await scriptedServer((res, req) => {
      res.once('close', () => setImmediate(() => controller.abort()));
      void failing(
        503,
        { reason: 'overloaded', retryable: true },
        { 'retry-after': '50', connection: 'close' },
      )(res, req);
    });
    const asked = createClient({ baseUrl: url, apiKey: KEY }).answer({ ...QUESTION, signal: controller.signal });
    expect(await reasonOf(asked)).toBe('aborted');
  });
});
