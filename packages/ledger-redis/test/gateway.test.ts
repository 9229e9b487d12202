import { createGateway, generateApiKey, isRequestError } from '@searchgate/core';
import { fakeProvider } from '@searchgate/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { grantOf, openLedger } from './open-ledger.js';
import { connectNodeRedis, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
const PRICE = 5_000_000n;
const CALLS = 200;
const ROOM = 10;

describe.skipIf(server === undefined)(`two gateways on one Redis${suffix}`, () => {
  if (server === undefined) return;
  afterAll(() => server.stop());

  test(`let exactly ${ROOM} of ${CALLS} parallel calls through where a key has room for ${ROOM}`, async () => {
    const one = await openLedger(server.url);
    const two = await openLedger(server.url, { prefix: one.prefix, connect: connectNodeRedis });
    const { secret, hash, id: keyId } = generateApiKey();
    await one.ledger.grant(grantOf(PRICE * BigInt(CALLS)));
    const limits = { limit: PRICE * BigInt(ROOM), limitReset: 'daily', allowedModels: null } as const;
    const times = { createdAtMs: Date.now(), expiresAtMs: null, revokedAtMs: null };
    await one.ledger.apiKeys.insertKey({ id: keyId, hash, organizationId: 'acme', label: 'ci', ...limits, ...times });
    let answerAll = (): void => undefined;
    // No call is answered before all are there, so that all are in flight at once.
    const told = new Promise<void>((resolve) => (answerAll = resolve));
    const provider = fakeProvider({ price: '0.005', replies: [{ text: [told, 'Yes.'] }] });
    const gateways = [one, two].map(({ ledger }) =>
      createGateway({ providers: [provider], ledger, apiKeys: ledger.apiKeys }),
    );

    let refusals = 0;
    const calls = Array.from({ length: CALLS }, async (_, index) => {
      try {
        await gateways[index % 2]?.answer({ apiKey: secret, model: 'fake/answer', query: 'Is it open?' });
        return 'answered';
      } catch (error) {
        refusals += 1;
        if (refusals === CALLS - ROOM) answerAll();
        return isRequestError(error) ? error.reason : error;
      }
    });
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === 'answered')).toHaveLength(ROOM);
    expect(outcomes.filter((outcome) => outcome === 'budget_in_flight')).toHaveLength(CALLS - ROOM);
    expect(provider.requests).toHaveLength(ROOM);

    for (const gateway of gateways) await gateway.close();
    const used = PRICE * BigInt(ROOM);
    const { ledger } = await openLedger(server.url, { prefix: one.prefix });
    expect(await ledger.keyTotals(keyId, 'daily')).toEqual({
      usage: used,
      held: 0n,
      windowUsage: used,
      resetsAtMs: expect.any(Number) as number,
    });
    expect((await ledger.audit()).differences).toEqual([]);
    for (const opened of [one, two]) await opened.dispose();
  });
});
