import { useEffect, useState } from 'preact/hooks';
import type { OrganizationView, Session } from '../../../src/api/contract.js';
import { usePages } from '../use-load.js';
import { Field } from './field.js';

interface OrganizationFieldProps {
  readonly session: Session;
  /** `''` for all. */
  readonly value: string;
  readonly onChosen: (organization: string) => void;
}

/** Selects an organization: the first hundred are offered, others can be typed. */
export function OrganizationField({ session, value, onChosen }: OrganizationFieldProps) {
  const { data } = usePages<OrganizationView>('organizations');
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const known = data?.data.map(({ id }) => id) ?? [];
  if (onlyOrganization(session) !== undefined) return null;
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        onChosen(text.trim());
      }}
    >
      <Field
        label="Organization"
        value={text}
        placeholder="all"
        suggestions={known}
        onValue={(typed) => {
          setText(typed);
          // A suggestion or an empty text is complete: apply it at once.
          if (typed === '' || known.includes(typed)) onChosen(typed);
        }}
      />
      <button type="submit">Show</button>
    </form>
  );
}

/** The organization of a session with exactly one. */
export function onlyOrganization({ organizations }: Session): string | undefined {
  return organizations !== 'all' && organizations.length === 1 ? organizations[0] : undefined;
}
