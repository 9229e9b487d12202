import { formatUsd, type Ledger, parseUsd } from '@searchgate/core';
import type { StandaloneConfig } from './config-file.js';

/**
 * Brings every organisation's credits up to what the configuration says, at every start, without granting anything twice.
 *
 * `credits` is the total an organisation was ever given. On a durable ledger a restart finds it there already and grants nothing; a raised figure grants the
 * difference; a lowered one takes nothing away, since credits that were granted may be spent. The grant's id names the total reached, so
 * two processes that start at once grant once.
 *
 * @returns the organisations whose credits in the ledger are above the configuration.
 */
export async function grantCredits(
  ledger: Ledger,
  organizations: StandaloneConfig['organizations'],
): Promise<string[]> {
  const above: string[] = [];
  for (const { id, credits } of organizations) {
    const target = parseUsd(credits);
    const { credits: granted } = await ledger.organizationTotals(id);
    if (granted > target) above.push(id);
    if (granted >= target) continue;
    const grantId = `config.${id}.${formatUsd(target)}`;
    await ledger.grant({
      grantId,
      organizationId: id,
      amount: target - granted,
      note: `up to ${credits} by configuration`,
    });
  }
  return above;
}
