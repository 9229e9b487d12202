import type { Administration } from '@searchgate/core/administration';

export interface Tenant {
  /** Your own id of the customer. */
  readonly id: string;
  readonly name: string;
  /** What the customer has paid, in USD. */
  readonly credits: string;
  /** The most the first key may spend in a month, in USD. */
  readonly monthlyLimit: string;
}

/**
 * Makes a customer an organization with credits and one API key. When a part of it fails, call it again: what is there already stays, but
 * every call creates a key. @returns the key's secret, which is shown only here.
 */
export async function addTenant(administration: Administration, tenant: Tenant): Promise<string> {
  const { id: organizationId, name, credits, monthlyLimit } = tenant;
  await administration.organizations.create({ id: organizationId, name });
  await administration.grant({
    organizationId,
    amount: credits,
    grantId: `${organizationId}-first`,
    note: 'first payment',
  });
  const { secret } = await administration.apiKeys.create({
    organizationId,
    label: 'first key',
    limit: monthlyLimit,
    limitReset: 'monthly',
  });
  return secret;
}
