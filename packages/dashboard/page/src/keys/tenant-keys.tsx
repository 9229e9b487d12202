import { useState } from 'preact/hooks';
import type { Model, Page, TenantKeyRow } from '../../../src/api/contract.js';
import { getJson, sendJson } from '../api.js';
import { minute } from '../format.js';
import type { Column } from '../ui/data-table.js';
import { ActionDialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { useLoad } from '../use-load.js';
import { type PartDialogProps, PartList } from './part-list.js';

/** The keys that an organization has at providers itself, with actions for operators. None is ever shown. */
export function TenantKeys({ organization, isOperator }: { organization: string; isOperator: boolean }) {
  return (
    <PartList<TenantKeyRow>
      path={`organizations/${encodeURIComponent(organization)}/tenant-keys`}
      isOperator={isOperator}
      caption={`Own keys of ${organization} at providers`}
      columns={COLUMNS}
      idOf={({ provider }) => provider}
      empty="No own keys at providers. Calls with an own key cost the fee alone."
      action="Set an own key"
      SetDialog={TenantKeyDialog}
      deletion="Within a minute, no call uses this key."
    />
  );
}

const COLUMNS: readonly Column<TenantKeyRow>[] = [
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Ends in', cell: ({ last_characters }) => <code>{last_characters || '–'}</code> },
  { title: 'Set (UTC)', cell: ({ created_at }) => minute(created_at) },
];

/** Sets a new key, or replaces a key. What is typed is in this dialog alone, and gone with it. */
function TenantKeyDialog({ path, target, onDone, onClose }: PartDialogProps<TenantKeyRow>) {
  const [provider, setProvider] = useState(target?.provider ?? '');
  const [api_key, setApiKey] = useState('');
  const models = useLoad('models', () => getJson<Page<Model>>('models'));
  const providers = new Set(models.data?.data.map((model) => model.provider));
  const save = async () => {
    await sendJson('PUT', `${path}/${encodeURIComponent(provider.trim())}`, { api_key: api_key.trim() });
    onDone();
  };
  return (
    <ActionDialog
      title={target === undefined ? 'Set an own key' : `Replace the key at ${provider}`}
      action="Save"
      onAction={save}
      onClose={onClose}
    >
      <div class="grid">
        {target === undefined && (
          <Field label="Provider" required value={provider} onValue={setProvider} suggestions={[...providers]} />
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
