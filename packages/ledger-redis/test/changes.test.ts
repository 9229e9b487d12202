import { auditRecordAt } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

it.skipIf(server === undefined)(
  `a flood of changes pushes out the oldest, and none of money${suffix}`,
  async () => {
    const { changes } = (await openLedger(server?.url ?? '')).ledger;
    const flood = Array.from({ length: 20_004 }, (_, minute) => auditRecordAt(minute));
    const grant = { ...auditRecordAt(0), action: 'grant' as const };
    const ofOperator = { ...auditRecordAt(1), given: { operatorPays: true } };
    flood.splice(0, 2, grant, ofOperator);
    for (let from = 0; from < flood.length; from += 500)
      await Promise.all(flood.slice(from, from + 500).map((record) => changes.append(record)));
    const oldest = await changes.find({}, { limit: 10, cursor: auditRecordAt(6).id });
    expect(oldest.records).toEqual([auditRecordAt(5), auditRecordAt(4), ofOperator, grant]);
    expect((await changes.erase('acme')) + (await changes.erase('globex'))).toBe(20_000);
    expect((await changes.find({}, { limit: 10 })).records).toEqual([ofOperator, grant]);
  },
  60_000,
);
