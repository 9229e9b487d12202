import { useState } from 'preact/hooks';
import type { TenantKeyRow } from '../../../src/api/contract.js';
import { sendJson } from '../api.js';
import { minute } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { ActionDialog } from '../ui/dialog.js';
import { Field, Select } from '../ui/field.js';
import { type PartDialogProps, PartList } from './part-list.js';

interface TenantKeysProps {
  readonly organization: string;
  readonly mayChange: boolean;
  /** Those that take own keys. */
  readonly providers: readonly string[];
}

/** The keys that an organization has at providers itself, with actions for operators and the tenant. None is ever shown. */
export function TenantKeys({ organization, mayChange, providers }: TenantKeysProps) {
  return (
    <PartList<TenantKeyRow>
      path={`organizations/${encodeURIComponent(organization)}/tenant-keys`}
      isOperator={mayChange}
      caption={`Own provider keys of ${organization}`}
      show={(rows, actionsOf) => (
        <DataTable
          caption={`Own provider keys of ${organization}`}
          columns={mayChange ? [...COLUMNS, { title: 'Actions', cell: actionsOf }] : COLUMNS}
          rows={rows}
          rowKey={({ provider }) => provider}
        />
      )}
      idOf={({ provider }) => provider}
      empty="No provider keys of its own. Calls with such a key cost the fee alone."
      action="Set a provider key"
      setDialog={(props) => <TenantKeyDialog {...props} providers={providers} />}
      deletion="Within a minute, no call uses this key."
    />
  );
}

const COLUMNS: readonly Column<TenantKeyRow>[] = [
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Ends in', cell: ({ last_characters }) => <code>{last_characters || '–'}</code> },
  { title: 'Set (UTC)', cell: ({ created_at }) => minute(created_at) },
];

type DialogProps = PartDialogProps<TenantKeyRow> & Pick<TenantKeysProps, 'providers'>;

/** Sets a new key, or replaces a key. What is typed is in this dialog alone, and gone with it. */
function TenantKeyDialog({ path, target, onDone, onClose, providers }: DialogProps) {
  const [provider, setProvider] = useState(target?.provider ?? providers[0] ?? '');
  const [api_key, setApiKey] = useState('');
  const save = async () => {
    await sendJson('PUT', `${path}/${encodeURIComponent(provider)}`, { api_key: api_key.trim() });
    onDone();
  };
  return (
    <ActionDialog
      title={target === undefined ? 'Set a provider key' : `Replace the key at ${provider}`}
      action="Save"
      onAction={save}
      onClose={onClose}
    >
      <div class="grid">
        {target === undefined && (
          <Select label="Provider" value={provider} onValue={setProvider} options={providers.map((id) => [id, id])} />
        )}
        <Field
          label="Key"
          type="password"
          required
          value={api_key}
          onValue={setApiKey}
          hint="As the provider gave it. It is not shown again"
        />
      </div>
    </ActionDialog>
  );
}
