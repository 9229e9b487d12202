import type { Session } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { OrganizationList } from './organization-list.js';
import { OrganizationPage } from './organization-page.js';

/** All organizations, or the page of the one in the address. */
export function OrganizationsView({ session }: { session: Session }) {
  const { organization = onlyOrganization(session) } = useAddress().params;
  if (organization === undefined) return <OrganizationList session={session} />;
  return <OrganizationPage key={organization} id={organization} session={session} />;
}
