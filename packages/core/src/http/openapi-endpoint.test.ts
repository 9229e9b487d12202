import { describe, expect, it } from 'vitest';
import { bodyText } from '../../test/body-text.js';
import type { RequestState } from '../request/handle-request-lifecycle.js';
import type { GatewayRequest } from './gateway-request.js';
import { openApiEndpoint } from './openapi-endpoint.js';

const DOCUMENT = '{"openapi":"3.1.1"}';

function setUp(failures: Error[] = []) {
  let made = 0;
  const endpoint = openApiEndpoint({
    describeApi() {
      made += 1;
      const failure = failures.shift();
      return failure === undefined ? Promise.resolve(DOCUMENT) : Promise.reject(failure);
    },
  });
  return {
    madeTimes: () => made,
    async get(headers: Record<string, string> = {}) {
      const request = { method: 'GET', header: (name: string) => headers[name] } as GatewayRequest;
      const state = { context: { requestId: 'req_1' }, apiKey: null } as RequestState;
      return endpoint.respond({ request, reply: null, begin: () => undefined, stream: null }, state);
    },
  };
}

describe('openApiEndpoint', () => {
  it('makes the document for the first request, and sends the same bytes to all', async () => {
    const { get, madeTimes } = setUp();
    expect(madeTimes()).toBe(0);
    const [first, second] = await Promise.all([get(), get()]);
    expect(bodyText(first)).toBe(DOCUMENT);
    expect(second.body).toBe(first.body);
    expect((await get()).body).toBe(first.body);
    expect(madeTimes()).toBe(1);
  });

  it('has a strong ETag, and answers 304 to callers who have the document', async () => {
    const { get } = setUp();
    const { headers } = await get();
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(DOCUMENT.length),
      'cache-control': 'private, max-age=60',
    });
    const etag = headers['etag'] ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(await get({ 'if-none-match': etag })).toEqual({
      status: 304,
      headers: {
        etag,
        'cache-control': 'private, max-age=60',
        'x-request-id': 'req_1',
        'x-content-type-options': 'nosniff',
      },
      body: null,
    });
    expect(await get({ 'if-none-match': '"another"' })).toMatchObject({ status: 200 });
  });

  it('tries again after the document could not be made', async () => {
    const { get, madeTimes } = setUp([new Error('the module could not be read')]);
    await expect(get()).rejects.toThrow('the module could not be read');
    expect(bodyText(await get())).toBe(DOCUMENT);
    expect(madeTimes()).toBe(2);
  });
});
