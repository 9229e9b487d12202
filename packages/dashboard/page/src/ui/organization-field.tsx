import type { OrganizationView, Session } from '../../../src/api/contract.js';
import { usePages } from '../use-load.js';
import { SearchField } from './field.js';

interface OrganizationFieldProps {
  readonly session: Session;
  /** `''` for all. */
  readonly value: string;
  readonly onChosen: (organization: string) => void;
}

/** Selects an organization: the first hundred are offered, others can be typed. */
export function OrganizationField({ session, value, onChosen }: OrganizationFieldProps) {
  const { data } = usePages<OrganizationView>('organizations');
  const known = data?.data.map(({ id }) => id) ?? [];
  if (onlyOrganization(session) !== undefined) return null;
  return <SearchField label="Organization" value={value} placeholder="all" suggestions={known} onSearch={onChosen} />;
}

/** The organization of a session with exactly one. */
export function onlyOrganization({ organizations }: Session): string | undefined {
  return organizations !== 'all' && organizations.length === 1 ? organizations[0] : undefined;
}
