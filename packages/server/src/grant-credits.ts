import { formatUsd, isLedgerError, type Ledger, parseUsd } from '@searchgate/core';
import type { ServerConfig } from './config-file.js';

/** A round is repeated if another process granted credits at the same time. */
const MAX_ROUNDS = 10;

/**
 * Raises every organization's credits to the configured amount, at every start, without granting anything twice.
 *
 * `credits` is the total of all grants to an organization, from any source; `null` if the operator pays. On a durable ledger a restart finds the full total and
 * grants nothing; a raised amount grants the difference; a lowered amount removes nothing, since granted credits may be spent.
 *
 * @returns the organizations with more credits in the ledger than configured.
 */
export async function grantCredits(
  ledger: Ledger,
  organizations: ServerConfig['organizations'] = [],
): Promise<string[]> {
  const above: string[] = [];
  for (const { id, credits } of organizations) {
    if (credits !== null && (await isAboveAfterRaising(ledger, id, credits))) above.push(id);
  }
  return above;
}

/**
 * Granted credits only grow, so a grant id made of the current total can be used once: of several processes that start at once, even with different
 * amounts, one grants and the others read the total again.
 */
async function isAboveAfterRaising(ledger: Ledger, organizationId: string, credits: string): Promise<boolean> {
  const target = parseUsd(credits);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { credits: granted } = await ledger.organizationTotals(organizationId);
    if (granted >= target) return granted > target;
    const grant = {
      grantId: `config.from.${formatUsd(granted)}`,
      organizationId,
      amount: target - granted,
      note: `up to ${credits} by configuration`,
    };
    await ledger.grant(grant).catch((error: unknown) => {
      // Another process has just granted from the same total.
      if (!isLedgerError(error) || error.reason !== 'duplicate_grant') throw error;
    });
  }
  throw new Error(
    `the credits of ${organizationId} changed ${MAX_ROUNDS} times while they were brought up to ${credits}`,
  );
}
