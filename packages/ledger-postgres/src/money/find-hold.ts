import type { HoldRecord } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';

type StoredRecord = Omit<HoldRecord, 'holdId' | 'cost'> & { readonly cost: string };

export async function findHold({ read }: Database, holdId: string): Promise<HoldRecord | undefined> {
  const found = await read<StoredRecord>('find_hold', () => [holdId]);
  return found && { holdId, ...found, cost: BigInt(found.cost) };
}
