import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { UpstreamRequest } from '../upstream/upstream-client.js';
import { keyHeader } from './json-endpoint.js';
import { type KeyPlace, queryEndpoint } from './query-endpoint.js';

const API_KEY = 'k1&more=';

const IN_THE_URL = { keyParameter: 'api_key' } as const;

function endpoint(status: number, text: string, key: KeyPlace = IN_THE_URL) {
  const requests: UpstreamRequest[] = [];
  const ask = queryEndpoint(
    { apiKey: () => API_KEY, baseUrl: 'https://api.example.com/v2', headers: { 'x-team': 'search' } },
    {
      path: '/answer',
      ...key,
      errors: [{ status: 418, reason: 'query_rejected' }],
      reply: z.object({ answer: z.string() }),
      completeness: 'valid JSON',
    },
  );
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      return Promise.resolve({ status, header: (name: string) => `the ${name}`, text });
    },
  };
  const question = { q: 'Tea & cake? #1', api_key: 'a caller’s' };
  return { requests, ask: () => ask(question, { upstream, signal: new AbortController().signal }) };
}

describe('a query endpoint', () => {
  it('puts the question and the key into the URL, and gives the checked reply', async () => {
    const { ask, requests } = endpoint(200, '{"answer":"Yes."}');
    const { body, header } = await ask();
    expect(body).toEqual({ answer: 'Yes.' });
    expect(header('x-cost')).toBe('the x-cost');
    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(request).toEqual({ method: 'GET', url: request?.url, headers: { 'x-team': 'search' } });
    expect(request?.url.href).toBe('https://api.example.com/v2/answer?q=Tea+%26+cake%3F+%231&api_key=k1%26more%3D');
  });

  it('puts the key into a header if the provider accepts it there', async () => {
    const { ask, requests } = endpoint(200, '{"answer":"Yes."}', { authorize: keyHeader('x-key') });
    await ask();
    expect(requests[0]?.headers).toEqual({ 'x-team': 'search', 'x-key': API_KEY });
    expect(requests[0]?.url.searchParams.get('api_key')).toBe('a caller’s');
  });

  it('takes one place for the key: by default the header Authorization', async () => {
    const { ask, requests } = endpoint(200, '{"answer":"Yes."}', {});
    await ask();
    expect(requests[0]?.headers).toEqual({ 'x-team': 'search', authorization: `Bearer ${API_KEY}` });
    // @ts-expect-error -- the key is sent twice
    const both: KeyPlace = { ...IN_THE_URL, authorize: keyHeader('x-key') };
    expect(both).toBeDefined();
  });

  it('reads a failure by the error table, without the key', async () => {
    const { ask } = endpoint(418, `{"error":"${API_KEY} is a teapot"}`);
    await expect(ask()).rejects.toMatchObject({ reason: 'query_rejected', detail: '[redacted] is a teapot' });
  });

  it('refuses a reply of another shape', async () => {
    await expect(endpoint(200, '{"answers":[]}').ask()).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
      phase: 'shape',
    });
  });
});
