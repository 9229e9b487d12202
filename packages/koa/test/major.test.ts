import Koa from 'koa';
import { expect, it } from 'vitest';

it('runs on the major version of Koa its project is named after', () => {
  // Koa 2 has this method; Koa 3 removed it.
  const major = 'createAsyncCtxStorageMiddleware' in Koa.prototype ? 'koa2' : 'koa3';
  expect(major).toBe(process.env['TEST_PROJECT'] ?? 'koa3');
});
