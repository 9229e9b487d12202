import type { KeyTotals, LimitReset, OrganizationTotals } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';

export async function readOrganizationTotals({ read }: Database, organizationId: string): Promise<OrganizationTotals> {
  const row = await read<Record<'credits' | 'usage' | 'held', string>>('organization_totals', () => [organizationId]);
  const { credits = '0', usage = '0', held = '0' } = row ?? {};
  return { credits: BigInt(credits), usage: BigInt(usage), held: BigInt(held) };
}

export async function readKeyTotals(
  { read, givenNow }: Database,
  { keyId, limitReset }: { keyId: string; limitReset: LimitReset | null },
): Promise<KeyTotals> {
  const row = await read<Record<'usage' | 'held' | 'windowUsage', string>>('key_totals', () => [
    keyId,
    limitReset,
    givenNow(),
  ]);
  const { usage = '0', held = '0', windowUsage = '0' } = row ?? {};
  return { usage: BigInt(usage), held: BigInt(held), windowUsage: BigInt(windowUsage) };
}
