import { describe, expect, it } from 'vitest';
import { readTotals } from './read-totals.js';

describe('figures of the ledger', () => {
  it('are returned unchanged', async () => {
    const logger = { warn: () => undefined, error: () => expect.unreachable() };
    expect(await readTotals(Promise.resolve(7), logger)).toBe(7);
  });

  it('that cannot be read are logged, and the caller may try again in a second', async () => {
    const cause = new Error('no connection');
    const logged: unknown[] = [];
    const logger = { warn: () => undefined, error: (fields: object) => logged.push(fields) };
    await expect(readTotals(Promise.reject(cause), logger)).rejects.toMatchObject({
      reason: 'ledger_unavailable',
      retryAfterMs: 1_000,
      cause,
    });
    expect(logged).toEqual([{ error: cause }]);
  });
});
