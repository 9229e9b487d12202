import express from 'express';
import { expect, it } from 'vitest';

it('runs on the major version of Express its project is named after', () => {
  // Express 5 took away `app.del`, which Express 4 still has.
  const major = 'del' in express() ? 'express4' : 'express5';
  expect(major).toBe(process.env['TEST_PROJECT'] ?? 'express5');
});
