import express from 'express';
import { expect, it } from 'vitest';

it('runs on the major version of Express its project is named after', () => {
  // Express 4 has `app.del`; Express 5 removed it.
  const major = 'del' in express() ? 'express4' : 'express5';
  expect(major).toBe(process.env['TEST_PROJECT'] ?? 'express5');
});
