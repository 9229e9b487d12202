import { useState } from 'preact/hooks';
import type { CreatedKey, KeyRow, NewKey, Session } from '../../../src/api/contract.js';
import { postJson } from '../api.js';
import { ActionDialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { KeyFields, keyTexts, readKey } from './key-fields.js';

interface CreateKeyDialogProps {
  readonly session: Session;
  /** Offered as the one that pays. */
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
  const [organizationId, setOrganizationId] = useState(onlyOrganization(session) ?? organization);
  const create = async () => {
    const key: NewKey = { ...readKey(texts), organizationId: organizationId.trim() };
    onCreated(await postJson<CreatedKey>('keys', key));
  };
  return (
    <ActionDialog title="Create a key" action="Create" onAction={create} onClose={onClose}>
      {onlyOrganization(session) === undefined && (
        <Field
          label="Organization"
          required
          value={organizationId}
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

export function RevokeKeyDialog({ target, onDone, onClose }: KeyDialogProps) {
  const revoke = async () => onDone(await postJson<KeyRow>(`keys/${encodeURIComponent(target.id)}/revoke`, {}));
  return (
    <ActionDialog title={`Revoke ${target.label}?`} action="Revoke" isDangerous onAction={revoke} onClose={onClose}>
      <p>Requests with this key are refused at once. This cannot be undone.</p>
    </ActionDialog>
  );
}

interface RotateKeyDialogProps {
  readonly target: KeyRow;
  readonly onCreated: (created: CreatedKey) => void;
  readonly onClose: () => void;
}

export function RotateKeyDialog({ target, onCreated, onClose }: RotateKeyDialogProps) {
  const rotate = async () => onCreated(await postJson<CreatedKey>(`keys/${encodeURIComponent(target.id)}/rotate`, {}));
  return (
    <ActionDialog title={`Rotate ${target.label}?`} action="Rotate" onAction={rotate} onClose={onClose}>
      <p>Makes a new key with the same settings. The old one works until you revoke it.</p>
    </ActionDialog>
  );
}
