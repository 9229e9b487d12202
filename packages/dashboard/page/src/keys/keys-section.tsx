import { useContext, useState } from 'preact/hooks';
import type { CreatedKey, KeyRow, Session } from '../../../src/api/contract.js';
import { minute, usd } from '../format.js';
import { type Column, DataTable, MoreButton } from '../ui/data-table.js';
import { ConfirmDialog } from '../ui/dialog.js';
import { Empty, ErrorNotice, Loading, RowActions } from '../ui/parts.js';
import { usePages } from '../use-load.js';
import { CreateKeyDialog, UpdateKeyDialog } from './key-dialogs.js';
import { limitsText } from './limit-fields.js';
import { ShowSecret } from './new-secrets.js';

type Open = { readonly kind: 'create' } | { readonly kind: 'update' | 'revoke' | 'rotate'; readonly target: KeyRow };

interface KeysSectionProps {
  readonly session: Session;
  /** The organization of the shown keys; `''` for all. */
  readonly organization: string;
}

/** The list of keys, with actions for operators. */
export function KeysSection({ session, organization }: KeysSectionProps) {
  const keys = usePages<KeyRow>('keys', { organization });
  const [open, setOpen] = useState<Open>();
  const isOperator = session.role === 'operator';
  const rows = keys.data?.data ?? [];
  return (
    <section aria-label="Keys">
      <div class="title-row">
        <h2>Keys</h2>
        {isOperator && (
          <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
            Create a key
          </button>
        )}
      </div>
      <ErrorNotice error={keys.error} onRetry={keys.reload} />
      {keys.data === undefined && keys.isLoading && <Loading what="the keys" />}
      {keys.data !== undefined && rows.length === 0 && (
        <Empty>
          {isOperator ? 'No keys yet. Create one to let a program ask.' : 'No keys yet. An operator can create one.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          caption={organization === '' ? 'Keys of all organizations' : `Keys of ${organization}`}
          columns={isOperator ? [LABEL, actions(setOpen), ...COLUMNS] : [LABEL, ...COLUMNS]}
          rows={rows}
          rowKey={({ id }) => id}
        />
      )}
      <MoreButton pages={keys} />
      <KeyDialog
        open={open}
        setOpen={setOpen}
        session={session}
        organization={organization}
        onChange={(changed) => {
          const isKnown = rows.some(({ id }) => id === changed.id);
          if (keys.data === undefined || !isKnown) keys.reload();
          else keys.replace({ ...keys.data, data: rows.map((row) => (row.id === changed.id ? changed : row)) });
        }}
      />
    </section>
  );
}

interface KeyDialogProps extends KeysSectionProps {
  readonly open: Open | undefined;
  readonly setOpen: (open: Open | undefined) => void;
  /** Called with the new or changed key. */
  readonly onChange: (key: KeyRow) => void;
}

function KeyDialog({ open, setOpen, session, organization, onChange }: KeyDialogProps) {
  const showSecret = useContext(ShowSecret);
  const onClose = () => setOpen(undefined);
  const onDone = (key: KeyRow) => {
    onClose();
    onChange(key);
  };
  const onCreated = (created: CreatedKey) => {
    onClose();
    showSecret(created);
    onChange(created.key);
  };
  if (open === undefined) return null;
  if (open.kind === 'create')
    return <CreateKeyDialog session={session} organization={organization} onCreated={onCreated} onClose={onClose} />;
  const { kind, target } = open;
  if (kind === 'update') return <UpdateKeyDialog target={target} onDone={onDone} onClose={onClose} />;
  const path = `keys/${encodeURIComponent(target.id)}/${kind}`;
  return kind === 'revoke' ? (
    <ConfirmDialog<KeyRow> {...{ path, onDone, onClose }} title={`Revoke ${target.label}?`} action="Revoke" isDangerous>
      Requests with this key are refused at once. This cannot be undone.
    </ConfirmDialog>
  ) : (
    <ConfirmDialog<CreatedKey>
      {...{ path, onClose }}
      onDone={onCreated}
      title={`Rotate ${target.label}?`}
      action="Rotate"
    >
      Makes a new key with the same settings. The old one works until you revoke it.
    </ConfirmDialog>
  );
}

const LABEL: Column<KeyRow> = { title: 'Label', cell: ({ label }) => label };

const COLUMNS: readonly Column<KeyRow>[] = [
  { title: 'State', cell: (key) => <KeyState of={key} /> },
  { title: 'Organization', cell: ({ organization_id }) => organization_id },
  { title: 'Used', cell: ({ usage }) => usd(usage), isNumber: true },
  { title: 'Held', cell: ({ held }) => usd(held), isNumber: true },
  { title: 'Limit', cell: ({ limit, limit_reset }) => limitText(limit, limit_reset), isNumber: true },
  { title: 'Rate', cell: limitsText },
  { title: 'Models', cell: ({ allowed_models }) => allowed_models?.join(', ') ?? 'all' },
  { title: 'Created (UTC)', cell: ({ created_at }) => minute(created_at) },
  { title: 'Expires (UTC)', cell: ({ expires_at }) => (expires_at === null ? 'never' : minute(expires_at)) },
  { title: 'Id', cell: ({ id }) => <code>{id}</code> },
];

function actions(setOpen: (open: Open) => void): Column<KeyRow> {
  const cell = (target: KeyRow) =>
    target.revoked_at !== null ? null : (
      <RowActions
        of={target.label}
        actions={{
          Change: () => setOpen({ kind: 'update', target }),
          Rotate: () => setOpen({ kind: 'rotate', target }),
          Revoke: () => setOpen({ kind: 'revoke', target }),
        }}
      />
    );
  return { title: 'Actions', cell };
}

function KeyState({ of: { revoked_at, expires_at } }: { of: KeyRow }) {
  if (revoked_at !== null) return <span class="bad">revoked {minute(revoked_at)}</span>;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return <span class="bad">expired</span>;
  return <span class="good">active</span>;
}

function limitText(limit: string | null, reset: KeyRow['limit_reset']): string {
  return limit === null ? 'none' : `${usd(limit)}${reset === null ? '' : ` ${reset}`}`;
}
