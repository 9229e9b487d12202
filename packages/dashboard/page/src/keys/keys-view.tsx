import { useState } from 'preact/hooks';
import type { Session } from '../../../src/api/contract.js';
import { OrganizationField, onlyOrganization } from '../ui/organization-field.js';
import { KeysSection } from './keys-section.js';
import { OrganizationsSection } from './organizations-section.js';

export function KeysView({ session }: { session: Session }) {
  const [organization, setOrganization] = useState(onlyOrganization(session) ?? '');
  return (
    <>
      <div class="toolbar">
        <OrganizationField session={session} value={organization} onChosen={setOrganization} />
      </div>
      <KeysSection session={session} organization={organization} />
      <OrganizationsSection session={session} chosen={organization} onChosen={setOrganization} />
    </>
  );
}
