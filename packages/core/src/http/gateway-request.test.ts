import { expect, it } from 'vitest';
import { commonHeaders, jsonResponse } from './gateway-request.js';

it('gives every response the request id and `nosniff`', () => {
  const common = { 'x-request-id': 'req_1', 'x-content-type-options': 'nosniff' };
  expect(commonHeaders('req_1')).toEqual(common);
  expect(jsonResponse('req_1', '{}')).toEqual({
    status: 200,
    headers: {
      ...common,
      'content-type': 'application/json; charset=utf-8',
      'content-length': '2',
      'cache-control': 'no-store',
    },
    body: '{}',
  });
});
