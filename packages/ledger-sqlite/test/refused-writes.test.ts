import { createGateway } from '@searchgate/core';
import { createFakeClock, fakeProvider, refusedWritesConformance } from '@searchgate/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteLedger } from '../src/index.js';
import { createStorage } from './storage.js';

async function openLedger() {
  const storage = createStorage();
  const handle = storage.open();
  const ledger = sqliteLedger({ database: handle });
  await ledger.migrate();
  const dispose = async () => {
    await ledger.close();
    await storage.dispose();
  };
  return { handle, ledger, dispose };
}

refusedWritesConformance({
  describe,
  it,
  async create() {
    const { handle, ledger, dispose } = await openLedger();
    return {
      ledger,
      dispose,
      refuseWrites: async () => void handle.exec('PRAGMA query_only = ON'),
      allowWrites: async () => void handle.exec('PRAGMA query_only = OFF'),
    };
  },
});

it('tells a gateway by failed holds that the file cannot grow, although a row can still be changed', async () => {
  const { handle, ledger, dispose } = await openLedger();
  onTestFinished(dispose);
  await ledger.grant({ grantId: 'grant-1', organizationId: 'acme', amount: 10n ** 12n, note: '' });
  const clock = createFakeClock(Date.now());
  const gateway = createGateway({
    providers: [fakeProvider({ clock })],
    authenticate: () => null,
    ledger,
    clock,
    logger: { warn: () => undefined, error: () => undefined },
  });
  const apiKey = { id: 'key-1', organizationId: 'acme', limit: null };
  const ask = () => gateway.answer({ apiKey, model: 'fake/answer', query: 'Who?' });
  const ledgerDownSince = async () => (await gateway.checkStores()).find(({ id }) => id === 'ledger')?.downSinceMs;
  await ask();
  expect(await ledgerDownSince()).toBe(null);
  handle.exec('PRAGMA max_page_count = 1');
  let refused: unknown;
  for (let call = 0; call < 1_000 && refused === undefined; call += 1) await ask().catch((error) => (refused = error));
  expect(refused).toMatchObject({ reason: 'ledger_unavailable' });
  expect(await ledgerDownSince()).not.toBe(null);
  handle.exec('PRAGMA max_page_count = 1000000');
  await clock.advance(15_000);
  await expect.poll(ledgerDownSince).toBe(null);
  await ask();
  await gateway.close();
});
