import { describe, expect, it } from 'vitest';
import { isSearchgateError } from '../src/index.js';
import { ANSWER, failing, impatientClient, json, QUESTION, scriptedServer } from './stage.js';

const METADATA = {
  budget: 'team:research',
  limit: 200,
  usage: 199.9972,
  required: 0.005,
  limit_reset: 'monthly',
  resets_at: '2026-12-01T00:00:00Z',
};
const TEAM = { id: 'team:research', mode: 'enforce', limit: 200, limit_reset: 'monthly', usage: 199.9972 };
const KEY_BODY = {
  label: 'demo',
  usage: 3,
  limit: null,
  budgets: [{ ...TEAM, limit_remaining: 0.0028, resets_at: METADATA.resets_at }],
  bound_by: 'budget:team:research',
};

async function begin(...replies: Parameters<typeof scriptedServer>) {
  const { url, seen } = await scriptedServer(...replies);
  return { ...impatientClient(url, { maxRetries: 1 }), seen };
}

describe('a client of a key with budgets', () => {
  it('gets the budgets of its key, what bounds it, and its usage by budget', async () => {
    const usage = { data: [{ budget: 'team:research', requests: 2, cost: 0.02 }], total: { requests: 2, cost: 0.02 } };
    const { client, seen } = await begin(json(200, KEY_BODY), json(200, usage));
    expect(await client.key()).toEqual(KEY_BODY);
    expect(await client.usage({ by: 'budget', from: '2026-11-01' })).toEqual(usage);
    expect(seen.map(({ url }) => url)).toEqual(['/api/v1/key', '/api/v1/usage?by=budget&from=2026-11-01']);
  });

  it('is told once which budget has no room', async () => {
    const refusal = { code: 402, reason: 'budget_exceeded', retryable: false, metadata: METADATA };
    const { client, seen } = await begin(failing(402, refusal));
    const error = await client.answer(QUESTION).catch((caught: unknown) => caught);
    if (!isSearchgateError(error) || error.reason !== 'budget_exceeded') throw error;
    // Compiles only while the type of the reason has these fields.
    const { budget, limit, required } = error.metadata;
    expect([error.status, budget, limit, required, seen.length]).toEqual([402, 'team:research', 200, 0.005, 1]);
  });

  it('asks again where calls under way hold what is left of a budget', async () => {
    const refusal = { code: 429, reason: 'budget_in_flight', retryable: true, metadata: METADATA };
    const { client, waits, seen } = await begin(failing(429, refusal, { 'retry-after': '1' }), json(200, ANSWER));
    expect(await client.answer(QUESTION)).toEqual(ANSWER);
    expect([waits, seen.length]).toEqual([[1_000], 2]);
    const { client: unlucky } = await begin(failing(429, refusal));
    await expect(unlucky.answer(QUESTION)).rejects.toMatchObject({ metadata: { budget: 'team:research' } });
  });
});
