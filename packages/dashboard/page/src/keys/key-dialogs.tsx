import { useState } from 'preact/hooks';
import type { CreatedKey, KeyRow, NewKey, Session } from '../../../src/api/contract.js';
import { postJson } from '../api.js';
import { ActionDialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { KeyFields, keyTexts, readKey } from './key-fields.js';

interface CreateKeyDialogProps {
  readonly session: Session;
  /** Preselected organization. */
  readonly organization: string;
  readonly onCreated: (created: CreatedKey) => void;
  readonly onClose: () => void;
}

interface KeyDialogProps {
  readonly target: KeyRow;
  readonly onDone: (key: KeyRow) => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ session, organization, onCreated, onClose }: CreateKeyDialogProps) {
  const [texts, setTexts] = useState(keyTexts());
  const [organization_id, setOrganizationId] = useState(onlyOrganization(session) ?? organization);
  const create = async () => {
    const key: NewKey = { ...readKey(texts), organization_id: organization_id.trim() };
    onCreated(await postJson<CreatedKey>('keys', key));
  };
  return (
    <ActionDialog title="Create a key" action="Create" onAction={create} onClose={onClose}>
      {onlyOrganization(session) === undefined && (
        <Field
          label="Organization"
          required
          value={organization_id}
          onValue={setOrganizationId}
          hint="The one that pays; create it first"
        />
      )}
      <KeyFields texts={texts} onTexts={setTexts} />
    </ActionDialog>
  );
}

export function UpdateKeyDialog({ target, onDone, onClose }: KeyDialogProps) {
  const [texts, setTexts] = useState(() => keyTexts(target));
  const update = async () =>
    onDone(await postJson<KeyRow>(`keys/${encodeURIComponent(target.id)}/update`, readKey(texts)));
  return (
    <ActionDialog title={`Change ${target.label}`} action="Save" onAction={update} onClose={onClose}>
      <KeyFields texts={texts} onTexts={setTexts} />
    </ActionDialog>
  );
}
