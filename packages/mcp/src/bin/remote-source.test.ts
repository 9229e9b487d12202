import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from '../../test/mounted-gateway.js';
import { remoteSource } from './remote-source.js';

const { signal } = new AbortController();
const logged: string[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  logged.length = 0;
  for (const close of closing.splice(0)) await close();
});

async function sourceOver(listener: RequestListener, answerTimeoutMs?: number) {
  const { url, close } = await listen(listener);
  closing.push(close);
  const timeout = answerTimeoutMs === undefined ? {} : { answerTimeoutMs };
  return { url, source: remoteSource({ url, apiKey: 'sg_1' }, { log: (text) => logged.push(text), ...timeout }) };
}

const replying =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body);

describe('a gateway behind a URL', () => {
  it.each([
    ['another program', replying(404, '<html>not here</html>'), 'HTTP 404'],
    ['another API', replying(200, '{"answer":42}'), 'HTTP 200'],
    ['a proxy without its gateway', replying(502, '{"message":"bad gateway"}'), 'HTTP 502'],
  ])('is not a gateway if %s answers', async (_what, listener, status) => {
    const { source, url } = await sourceOver(listener);
    const { problem } = await source.call('answer', {}, signal);
    expect(problem).toMatchObject({ reason: 'gateway_invalid_response', error: null, retryAfterSeconds: null });
    expect(problem?.advice).toContain('SEARCHGATE_URL');
    expect(logged).toEqual([`The server at ${url} is not a gateway (${status}).`]);
    expect((await source.models(['answer'], signal)).problem).toMatchObject({ reason: 'gateway_invalid_response' });
  });

  it('says what a check of the citations found', async () => {
    const grounding = { sentences: 9, supported: 4, unsupported: 2, removed: 3 };
    const body = { id: 'ans_1', model: 'a/b', provider: 'a', answer: 'Yes.', usage: { cost: 0 }, grounding };
    const { source } = await sourceOver(replying(200, JSON.stringify(body)));
    expect((await source.call('answer', {}, signal)).value).toEqual(body);
  });

  it('does not leak the key through a redirect', async () => {
    const seen: unknown[] = [];
    const other = await listen((req, res) => {
      seen.push(req.headers);
      res.end();
    });
    closing.push(other.close);
    const { source } = await sourceOver(replying(307, '', { location: other.url }));
    expect((await source.call('answer', {}, signal)).problem).toMatchObject({ reason: 'gateway_unreachable' });
    expect(seen).toEqual([]);
  });

  it('is unreachable if no server listens', async () => {
    const { url, close } = await listen(() => undefined);
    await close();
    const source = remoteSource({ url, apiKey: 'sg_1' }, { log: (text) => logged.push(text) });
    expect((await source.call('answer', {}, signal)).problem).toMatchObject({ reason: 'gateway_unreachable' });
    expect(logged).toEqual([`The gateway at ${url} cannot be reached (ECONNREFUSED).`]);
  });

  it('is given up after a deadline, even in the middle of a reply', async () => {
    const { source } = await sourceOver((_req, res) => void res.writeHead(200).write('{'), 50);
    expect((await source.call('answer', {}, signal)).problem).toMatchObject({ reason: 'gateway_timeout' });
    expect(logged).toEqual(['The gateway has not answered within 0.05 s.']);
  });

  it('is given up when the client cancels', async () => {
    const client = new AbortController();
    const { source } = await sourceOver(() => client.abort());
    expect((await source.call('answer', {}, client.signal)).problem).toMatchObject({ reason: 'gateway_unreachable' });
    expect(logged).toEqual([]);
  });

  it.each([
    ['options', { options: 'freshness' }],
    ['a price', { pricing: { request: {} } }],
  ])('is not a gateway if a model has malformed %s', async (_what, wrong) => {
    const model = { id: 'a/b', category: 'answer', name: 'B', provider: 'a', description: '', pricing: {}, ...wrong };
    const { source } = await sourceOver(replying(200, JSON.stringify({ data: [model] })));
    expect((await source.models(['answer'], signal)).problem).toMatchObject({ reason: 'gateway_invalid_response' });
  });

  it('reports when to retry', async () => {
    const error = { reason: 'rate_limited', message: 'Slow down.', retryable: true, metadata: {}, request_id: 'req_1' };
    const { source } = await sourceOver(replying(429, JSON.stringify({ error }), { 'retry-after': '7' }));
    expect((await source.call('answer', {}, signal)).problem).toMatchObject({
      reason: 'rate_limited',
      advice: 'Try again after 7 seconds.',
      retryAfterSeconds: 7,
      error,
    });
    expect(logged).toEqual([]);
  });

  it.each(['', '-5', '0x10', '1e9', '5, 10', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
    'does not report when to retry for the Retry-After "%s"',
    async (retryAfter) => {
      const error = { reason: 'overloaded', message: 'Busy.', retryable: true, metadata: null, request_id: 'req_1' };
      const { source } = await sourceOver(replying(503, JSON.stringify({ error }), { 'retry-after': retryAfter }));
      expect((await source.call('answer', {}, signal)).problem).toMatchObject({
        reason: 'overloaded',
        advice: 'Try again.',
        retryAfterSeconds: null,
      });
    },
  );
});
