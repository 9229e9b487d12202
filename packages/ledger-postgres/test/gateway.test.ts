import { createGateway, generateApiKey, isRequestError } from '@searchgate/core';
import { parseUsd } from '@searchgate/core/ledger';
import { exa } from '@searchgate/core/providers';
import { startFaultUpstream } from '@searchgate/testing';
import { expect, it, onTestFinished } from 'vitest';
import { migratedDatabase } from './migrated-database.js';

const database = migratedDatabase();
const REPLY = { answer: 'Open since 2021.', citations: [], costDollars: { total: 0.005 } };

it('lets exactly 10 of 200 calls at once through two gateways reach the provider when there is room for 10', async () => {
  const upstream = await startFaultUpstream({ healthyReply: { status: 200, body: JSON.stringify(REPLY) } });
  onTestFinished(() => upstream.close());
  const { id, secret, hash } = generateApiKey();
  const key = { id, hash, organizationId: 'acme', label: 'demo', limit: null, limitReset: null, allowedModels: null };
  const ledgers = [database().ledger(), database().ledger({ pool: database().otherPool() })];
  await ledgers[0]?.apiKeys.insertKey({ ...key, createdAtMs: Date.now(), expiresAtMs: null, revokedAtMs: null });
  await ledgers[0]?.grant({ grantId: 'g', organizationId: 'acme', amount: parseUsd('0.05'), note: '' });
  const gateways = ledgers.map((ledger) =>
    createGateway({ providers: [exa({ apiKey: 'test', baseUrl: upstream.url })], ledger, apiKeys: ledger.apiKeys }),
  );
  onTestFinished(async () => {
    for (const gateway of gateways) await gateway.close();
  });

  const calls = Array.from({ length: 100 }, (_, index) => index).flatMap((index) =>
    gateways.map((gateway) =>
      gateway.answer({ apiKey: secret, model: 'exa/answer', query: `When did it open? ${index}` }),
    ),
  );
  const outcomes = await Promise.allSettled(calls);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(refused).toHaveLength(190);
  for (const error of refused) {
    expect(isRequestError(error) && error.reason).toMatch(/^(budget_in_flight|organization_credits_exhausted)$/);
  }
  expect(upstream.requests).toHaveLength(10);
  expect(await ledgers[0]?.organizationTotals('acme')).toEqual({
    credits: parseUsd('0.05'),
    usage: parseUsd('0.05'),
    held: 0n,
  });
  expect(await ledgers[1]?.audit()).toMatchObject({ entries: 11, openHolds: 0, differences: [] });
});
