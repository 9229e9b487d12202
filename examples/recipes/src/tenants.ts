import type { Administration } from '@searchgate/core/administration';

export interface Tenant {
  /** Your id of the customer. */
  readonly id: string;
  readonly name: string;
  /** The customer's payments, in USD. */
  readonly credits: string;
  /** Monthly limit of the first key, in USD. */
  readonly monthlyLimit: string;
}

/**
 * Creates an organization with credits and one API key for a customer. If it fails halfway, call it again: existing parts are kept, but
 * every call creates a key. @returns the key's secret, which is shown only once.
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
