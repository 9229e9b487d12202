import { memoryAuditLog } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { auditLogConformance, auditRecordAt } from '../src/audit-log-conformance.js';

auditLogConformance({
  describe,
  it,
  create: async () => Promise.resolve({ log: memoryAuditLog(), dispose: () => Promise.resolve() }),
});

it('keeps records of money in memory longer than others', async () => {
  const log = memoryAuditLog({ maxRecords: 3 });
  await log.append(auditRecordAt(0, { action: 'grant' }));
  for (let minute = 1; minute < 9; minute += 1) await log.append(auditRecordAt(minute));
  const { records } = await log.find({}, { limit: 10 });
  expect(records).toEqual([8, 7, 0].map((minute) => expect.objectContaining({ id: auditRecordAt(minute).id })));
});
