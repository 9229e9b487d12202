import { expect, it } from 'vitest';
import { loadOptional } from './optional-package.js';

const asked = { path: 'SEARCHGATE_LEDGER', name: 'no-such-driver' };
// Typed as string, so that the compiler does not resolve the import.
const missing: string = 'no-such-driver';

it('names the package to install', async () => {
  await expect(loadOptional(asked, () => import(missing))).rejects.toThrow(
    'SEARCHGATE_LEDGER: found a value that needs the package no-such-driver, which is not installed, ' +
      'expected it beside @searchgate/server: npm install no-such-driver.',
  );
});

it('returns the loaded module, and rethrows other errors', async () => {
  expect(await loadOptional(asked, () => Promise.resolve(1))).toBe(1);
  const broken = () => Promise.reject(new TypeError('broken'));
  await expect(loadOptional(asked, broken)).rejects.toThrow(TypeError);
});
