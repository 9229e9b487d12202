import { formatUsd, isLedgerError, type Ledger, parseUsd } from '@searchgate/core';
import type { ServerConfig } from './config-file.js';

/** A round is repeated when another process granted credits at the same time. */
const MAX_ROUNDS = 10;

/**
 * Brings every organization's credits up to what the configuration says, at every start, without granting anything twice.
 *
 * `credits` is the total of all grants to an organization, from any source. On a durable ledger a restart finds it there already and grants nothing; a raised
 * figure grants the difference; a lowered one takes nothing away, since credits that were granted may be spent.
 *
 * @returns the organizations whose credits in the ledger are above the configuration.
 */
export async function grantCredits(
  ledger: Ledger,
  organizations: ServerConfig['organizations'] = [],
): Promise<string[]> {
  const above: string[] = [];
  for (const { id, credits } of organizations) {
    if (await isAboveAfterRaising(ledger, id, credits)) above.push(id);
  }
  return above;
}

/**
 * Credits only ever grow, so the total found names a grant that can happen once: of several processes that start at the same moment, also with different
 * figures, one grants from there and the others look again.
 */
async function isAboveAfterRaising(ledger: Ledger, organizationId: string, credits: string): Promise<boolean> {
  const target = parseUsd(credits);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { credits: granted } = await ledger.organizationTotals(organizationId);
    if (granted >= target) return granted > target;
    const grant = {
      grantId: `config.${organizationId}.from.${formatUsd(granted)}`,
      organizationId,
      amount: target - granted,
      note: `up to ${credits} by configuration`,
    };
    await ledger.grant(grant).catch((error: unknown) => {
      // Another process has just granted another amount from the same total.
      if (!isLedgerError(error) || error.reason !== 'duplicate_grant') throw error;
    });
  }
  throw new Error(
    `the credits of ${organizationId} changed ${MAX_ROUNDS} times while they were brought up to ${credits}`,
  );
}
