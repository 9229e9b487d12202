import type { KeyTotals, LimitReset, OrganizationTotals } from '@searchgate/core';
import type { Database } from '../engine/database.js';
import type { Moments } from '../engine/moments.js';

export async function readOrganizationTotals(
  { ask, schema }: Database,
  organizationId: string,
): Promise<OrganizationTotals> {
  const row = await ask<Record<'credits' | 'usage' | 'held', string>>(
    ` SELECT json_build_object('credits', credits::text, 'usage', usage::text, 'held', held::text)::text AS json
    FROM ${schema}.organization_balances WHERE organization_id = $1`,
    () => [organizationId],
  );
  const { credits = '0', usage = '0', held = '0' } = row ?? {};
  return { credits: BigInt(credits), usage: BigInt(usage), held: BigInt(held) };
}

export async function readKeyTotals(
  { ask, schema }: Database,
  moments: Moments,
  { keyId, limitReset }: { keyId: string; limitReset: LimitReset | null },
): Promise<KeyTotals> {
  const row = await ask<Record<'usage' | 'held' | 'windowUsage', string>>(
    ` SELECT ${schema}.key_totals($1, $2, $3)::text AS json FROM present`,
    () => [keyId, limitReset, moments()[0]],
  );
  const { usage = '0', held = '0', windowUsage = '0' } = row ?? {};
  return { usage: BigInt(usage), held: BigInt(held), windowUsage: BigInt(windowUsage) };
}
