import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';
import { watchedPool } from './watched-pool.js';

describe.each(['repeatable read', 'serializable'])('where transactions are %s', (isolation) => {
  const database = migratedDatabase(() => ({ isolation }));

  it('holds, settles, claims and changes keys of many processes at one row without a serialization failure', async () => {
    expect(await database().run('SHOW transaction_isolation')).toEqual([{ transaction_isolation: isolation }]);
    const pools = Array.from({ length: 4 }, () => watchedPool(database().otherPool()));
    const ledgers = pools.map(({ pool }) => database().ledger({ pool }));
    await ledgers[0]?.grant(grantOf({ amount: 400n }));
    await Promise.all(
      ledgers.flatMap((ledger, process) =>
        Array.from({ length: 15 }, async (_, index) => {
          const holdId = `hold-${process}-${index}`;
          const { status } = await ledger.hold(holdOf({ holdId }));
          if (status === 'held') await ledger.settle(holdId, chargeOf({ cost: 10n }));
          await ledger.adjust(adjustmentOf({ adjustmentId: holdId, amount: 0n }));
          await ledger.apiKeys.insertOrganization({ id: 'acme', name: null, createdAtMs: 1, suspendedAtMs: null });
          await ledger.apiKeys.updateOrganization('acme', { name: holdId });
          const claim = {
            keyId: 'key-1',
            idempotencyKey: `name-${index}`,
            claimId: holdId,
            fingerprint: 'a'.repeat(64),
          };
          const at = { nowMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
          await ledger.idempotency.claim({ ...claim, ...at });
          await ledger.expireHolds(Date.now());
        }),
      ),
    );
    expect(pools.flatMap(({ failures }) => failures)).toEqual([]);
    expect(await ledgers[1]?.organizationTotals('acme')).toEqual({ credits: 400n, usage: 400n, held: 0n });
    expect((await ledgers[2]?.audit())?.differences).toEqual([]);
  });
});
