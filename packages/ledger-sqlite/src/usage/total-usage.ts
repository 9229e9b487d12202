import type { AuditedSubject } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';

/** A sum of many rows may pass 64 bits, one of its halves does not. */
const HALVES = ['charged', 'adjusted']
  .map((column) => `coalesce(sum(${column} >> 32), 0), coalesce(sum(${column} & 4294967295), 0)`)
  .join(', ');
const OF_ORGANIZATION = `SELECT ${HALVES} FROM searchgate_usage INDEXED BY searchgate_usage_of_organization
  WHERE organization_id = ?`;
const OF_KEY = `SELECT ${HALVES} FROM searchgate_usage INDEXED BY searchgate_usage_of_key WHERE key_id = ?`;
const OF_DAYS = `SELECT ${HALVES} FROM searchgate_usage_by_day INDEXED BY searchgate_usage_days_of_organization
  WHERE organization_id = ?`;

/**
 * The usage of an organization or a key by its sums.
 *
 * @param usage that by its counters. Where an organization's series and its days do not agree, the sum that differs from it is given.
 */
export function usageBySums(connection: Connection, { subject, id }: AuditedSubject, usage: bigint): bigint {
  if (subject === 'key') return totalOf(connection, OF_KEY, id);
  const ofSeries = totalOf(connection, OF_ORGANIZATION, id);
  return ofSeries === usage ? totalOf(connection, OF_DAYS, id) : ofSeries;
}

function totalOf(connection: Connection, sql: string, id: string): bigint {
  const [high = 0n, low = 0n, adjustedHigh = 0n, adjustedLow = 0n] = connection.tuples<bigint[]>(sql).get(id) ?? [];
  return ((high + adjustedHigh) << 32n) + low + adjustedLow;
}
