import type { Session } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { OrganizationField, onlyOrganization } from '../ui/organization-field.js';
import { KeyPage } from './key-page.js';
import { KeysSection } from './keys-section.js';
import { OrganizationsSection } from './organizations-section.js';

/** Keys and organizations, or the page of the key in the address. */
export function KeysView({ session }: { session: Session }) {
  const { params, change } = useAddress();
  const { key, organization = onlyOrganization(session) ?? '' } = params;
  const choose = (chosen: string) => change({ organization: chosen });
  if (key !== undefined) return <KeyPage key={key} id={key} session={session} />;
  const field = <OrganizationField session={session} value={organization} onChosen={choose} />;
  const organizations = <OrganizationsSection session={session} chosen={organization} onChosen={choose} />;
  return (
    <>
      {organization !== '' && session.has_keys && organizations}
      {session.has_keys ? (
        <KeysSection session={session} organization={organization}>
          {field}
        </KeysSection>
      ) : (
        <div class="toolbar">{field}</div>
      )}
      {(organization === '' || !session.has_keys) && organizations}
    </>
  );
}
