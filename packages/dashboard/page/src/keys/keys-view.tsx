import type { Session } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { KeyPage } from './key-page.js';
import { KeysSection } from './keys-section.js';

/** The keys, or the page of the key in the address. */
export function KeysView({ session }: { session: Session }) {
  const { key, organization = onlyOrganization(session) ?? '' } = useAddress().params;
  if (key !== undefined) return <KeyPage key={key} id={key} session={session} />;
  return <KeysSection session={session} organization={organization} />;
}
