import type { Ledger } from '@searchgate/core';
import type { AuditReport } from '@searchgate/core/ledger';
import { chargedPairs } from '../hold-and-settle.js';
import { MANY_ORGANIZATIONS } from '../ledger-case.js';

/** @throws Error when the counters do not hold exactly what was done. */
export async function verifyCharges(ledger: Ledger, done: number): Promise<void> {
  const charged = await chargedPairs(ledger, MANY_ORGANIZATIONS);
  if (charged !== done) throw new Error(`${done} pairs were acknowledged, but ${charged} are charged`);
}

/** @throws Error when the audit found anything, or a hold that has not ended. */
export function verifyAudit(report: AuditReport): void {
  const { differences, openHolds } = report;
  if (differences.length > 0 || openHolds > 0) throw new Error(`the audit found ${JSON.stringify(report, text)}`);
}

function text(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
