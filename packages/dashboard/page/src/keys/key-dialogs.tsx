import { useContext, useState } from 'preact/hooks';
import type { CreatedKey, KeyRow, NewKey, OrganizationView, Session } from '../../../src/api/contract.js';
import { ApiError, getJson, sendJson } from '../api.js';
import { ActionDialog, ConfirmDialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { KeyFields, keyTexts, readKey } from './key-fields.js';
import { ShowSecret } from './new-secrets.js';

interface CreateKeyDialogProps {
  readonly session: Session;
  /** Preselected organization. */
  readonly organization: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

/** Creates a key. An organization that does not exist is created too, after a question. */
export function CreateKeyDialog({ session, organization, onCreated, onClose }: CreateKeyDialogProps) {
  const [texts, setTexts] = useState(keyTexts());
  const [organizationId, setOrganizationId] = useState(onlyOrganization(session) ?? organization);
  const [unknown, setUnknown] = useState('');
  const organization_id = organizationId.trim();
  const isUnknown = unknown !== '' && unknown === organization_id;
  const showSecret = useContext(ShowSecret);
  const create = async () => {
    if (isUnknown) await sendJson('POST', 'organizations', { id: organization_id });
    else if (!(await isKnown(organization_id))) {
      setUnknown(organization_id);
      return;
    }
    const key: NewKey = { ...readKey(texts), organization_id };
    showSecret(await sendJson<CreatedKey>('POST', 'keys', key));
    onClose();
    onCreated();
  };
  return (
    <ActionDialog
      title="Create a key"
      action={isUnknown ? 'Create both' : 'Create'}
      onAction={create}
      onClose={onClose}
    >
      {onlyOrganization(session) === undefined && (
        <Field
          label="Organization"
          required
          value={organizationId}
          onValue={setOrganizationId}
          hint="The one that pays"
        />
      )}
      {isUnknown && (
        <p class="notice" role="alert">
          There is no organization {unknown}. Create it too?
        </p>
      )}
      <KeyFields texts={texts} onTexts={setTexts} />
    </ActionDialog>
  );
}

async function isKnown(id: string): Promise<boolean> {
  try {
    await getJson<OrganizationView>(`organizations/${encodeURIComponent(id)}`);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

export interface OpenKeyDialog {
  readonly kind: 'update' | 'revoke' | 'rotate';
  readonly target: KeyRow;
}

interface KeyDialogProps {
  readonly open: OpenKeyDialog | undefined;
  readonly onClose: () => void;
  readonly onChange: (key: KeyRow) => void;
  /** Called after a rotation. */
  readonly onCreated?: () => void;
}

/** The open dialog of a key. */
export function KeyDialog({ open, onClose, onChange, onCreated }: KeyDialogProps) {
  const showSecret = useContext(ShowSecret);
  if (open === undefined) return null;
  const { kind, target } = open;
  const onDone = (key: KeyRow) => {
    onClose();
    onChange(key);
  };
  if (kind === 'update') return <UpdateKeyDialog target={target} onDone={onDone} onClose={onClose} />;
  const path = `keys/${encodeURIComponent(target.id)}/${kind}`;
  return kind === 'revoke' ? (
    <ConfirmDialog<KeyRow> {...{ path, onDone, onClose }} title={`Revoke ${target.label}?`} action="Revoke" isDangerous>
      Requests with this key are refused at once. This cannot be undone.
    </ConfirmDialog>
  ) : (
    <ConfirmDialog<CreatedKey>
      {...{ path, onClose }}
      onDone={(created) => {
        onClose();
        showSecret(created);
        onCreated?.();
      }}
      title={`Rotate ${target.label}?`}
      action="Rotate"
    >
      Makes a new key with the same settings. The old one works until you revoke it.
    </ConfirmDialog>
  );
}

interface UpdateKeyDialogProps {
  readonly target: KeyRow;
  readonly onDone: (key: KeyRow) => void;
  readonly onClose: () => void;
}

function UpdateKeyDialog({ target, onDone, onClose }: UpdateKeyDialogProps) {
  const [texts, setTexts] = useState(() => keyTexts(target));
  const update = async () =>
    onDone(await sendJson<KeyRow>('POST', `keys/${encodeURIComponent(target.id)}/update`, readKey(texts)));
  return (
    <ActionDialog title={`Change ${target.label}`} action="Save" onAction={update} onClose={onClose}>
      <KeyFields texts={texts} onTexts={setTexts} />
    </ActionDialog>
  );
}
