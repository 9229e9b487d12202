import { createGateway, generateApiKey, isRequestError } from '@searchgate/core';
import { fakeProvider } from '@searchgate/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SqliteLedger } from '../src/index.js';
import { grantOf, times } from './requests.js';
import { createStorage, type Storage } from './storage.js';

const PRICE = 5_000_000n;
const { secret, hash, id: keyId } = generateApiKey();
let storage: Storage;
let ledger: SqliteLedger;

beforeEach(async () => {
  storage = createStorage();
  ledger = await storage.connect();
});
afterEach(() => storage.dispose());

it('lets exactly 10 of 200 parallel calls reach the provider when there is room for 10, through two processes’ handles', async () => {
  let answerAll = (): void => undefined;
  // No call is answered before all are there, so that all are in flight at once.
  const told = new Promise<void>((resolve) => (answerAll = resolve));
  const provider = fakeProvider({ price: '0.005', replies: [{ text: [told, 'Yes.'] }] });
  await ledger.grant(grantOf({ amount: 100n * PRICE }));
  const nothing = { allowedModels: null, expiresAtMs: null, revokedAtMs: null, createdAtMs: Date.now() };
  const limited = { limit: 10n * PRICE, limitReset: 'daily' } as const;
  await ledger.apiKeys.insertKey({ id: keyId, hash, organizationId: 'acme', label: 'ci', ...limited, ...nothing });
  const ledgers = [ledger, await storage.connect()];
  const gateways = ledgers.map((own) => createGateway({ providers: [provider], ledger: own, apiKeys: own.apiKeys }));

  const calls = times(200, async (index) => {
    const call = { apiKey: secret, model: 'fake/answer', query: 'Is it open?' };
    return gateways[index % 2]?.answer(call).then(
      () => 'answered',
      (error: unknown) => (isRequestError(error) ? error.reason : error),
    );
  });
  let refused = 0;
  await new Promise<void>((resolve) => {
    for (const call of calls) {
      void call.then((outcome) => {
        if (outcome === 'budget_in_flight') refused += 1;
        if (refused === 190) resolve();
      });
    }
  });
  answerAll();
  const outcomes = await Promise.all(calls);
  await Promise.all(gateways.map((gateway) => gateway.close()));

  expect(provider.requests).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === 'answered')).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === 'budget_in_flight')).toHaveLength(190);
  expect(await ledger.keyTotals(keyId, 'daily')).toEqual({
    usage: 10n * PRICE,
    held: 0n,
    windowUsage: 10n * PRICE,
    resetsAtMs: expect.any(Number) as number,
  });
  expect((await ledger.audit()).differences).toEqual([]);
});
