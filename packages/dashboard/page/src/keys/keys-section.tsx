import { useState } from 'preact/hooks';
import type { KeyPage, KeyRow, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { apiUrl } from '../api.js';
import { minute } from '../format.js';
import { type Column, LoadedTable, MoreButton } from '../ui/data-table.js';
import { SearchField, Select } from '../ui/field.js';
import { OrganizationField } from '../ui/organization-field.js';
import { Cut, Limit, Money, RowActions } from '../ui/parts.js';
import { usePages } from '../use-load.js';
import { CreateKeyDialog, KeyDialog, type OpenKeyDialog } from './key-dialogs.js';

const STATES = [
  ['', 'all'],
  ['active', 'active'],
  ['expiring', 'expire in 7 days'],
  ['expired', 'expired'],
  ['revoked', 'revoked'],
] as const;

const SORTS = [
  ['used', 'used'],
  ['limit', 'limit'],
  ['last_used', 'last used'],
  ['label', 'label'],
] as const;

interface KeysSectionProps {
  readonly session: Session;
  /** The organization of the shown keys; `''` for all. */
  readonly organization: string;
}

/** The list of keys, with actions for operators. */
export function KeysSection({ session, organization }: KeysSectionProps) {
  const { params, change } = useAddress();
  const { search = '', state = '', sort = 'used' } = params;
  const query = { organization, search, state, sort };
  const keys = usePages<KeyRow, KeyPage>('keys', query);
  const [open, setOpen] = useState<OpenKeyDialog | 'create'>();
  const isOperator = session.role === 'operator';
  const isFiltered = search !== '' || state !== '';
  const onClose = () => setOpen(undefined);
  const actions = { title: 'Actions', cell: (target: KeyRow) => <KeyActions target={target} onOpen={setOpen} /> };
  const onChange = (changed: KeyRow) => {
    if (keys.data === undefined) return;
    keys.replace({ ...keys.data, data: keys.data.data.map((row) => (row.id === changed.id ? changed : row)) });
  };
  return (
    <section aria-label="Keys">
      <div class="toolbar">
        <SearchField
          isLive
          label="Search"
          value={search}
          onSearch={(text) => change({ search: text }, 'replace')}
          placeholder="label or id"
        />
        <Select label="State" value={state} onValue={(value) => change({ state: value })} options={STATES} />
        <Select label="Sort by" value={sort} onValue={(value) => change({ sort: value })} options={SORTS} />
        <OrganizationField
          session={session}
          value={organization}
          onChosen={(chosen) => change({ organization: chosen })}
        />
        <div class="buttons">
          <a class="button" href={apiUrl('keys.csv', query)} download="">
            CSV
          </a>
          {isOperator && (
            <button type="button" class="primary" onClick={() => setOpen('create')}>
              Create a key
            </button>
          )}
        </div>
      </div>
      {keys.data?.is_cut && (
        <p class="hint">There are more than 1,000 keys: only 1,000 were searched. Choose an organization.</p>
      )}
      <LoadedTable
        loaded={keys}
        caption={organization === '' ? 'Keys of all organizations' : `Keys of ${organization}`}
        columns={isOperator ? [...COLUMNS, actions] : COLUMNS}
        rowKey={({ id }) => id}
        empty={
          isFiltered
            ? 'No key fits. Clear the search, or choose another state.'
            : `No keys yet. ${isOperator ? 'Create one to let a program ask.' : 'An operator can create one.'}`
        }
      />
      <MoreButton pages={keys} />
      {open === 'create' ? (
        <CreateKeyDialog {...{ session, organization, onClose }} onCreated={keys.reload} />
      ) : (
        <KeyDialog {...{ open, onClose, onChange }} onCreated={keys.reload} />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<KeyRow>[] = [
  { title: 'Label', cell: ({ id, label }) => <Cut href={linkTo('keys', { key: id })}>{label}</Cut> },
  { title: 'Used', cell: ({ usage }) => <Money amount={usage} />, isNumber: true },
  { title: 'Limit', cell: ({ limit, limit_reset }) => <Limit limit={limit} reset={limit_reset} />, isNumber: true },
  { title: 'Budgets', cell: ({ budgets }) => <Cut>{budgets.join(' ') || '–'}</Cut> },
  { title: 'State', cell: (key) => <KeyState of={key} /> },
  {
    title: 'Last used (UTC)',
    cell: ({ last_used_at }) => (last_used_at === null ? '–' : minute(last_used_at)),
    isNumber: true,
  },
  {
    title: 'Organization',
    cell: ({ organization_id }) => (
      <Cut href={linkTo('organizations', { organization: organization_id })}>{organization_id}</Cut>
    ),
  },
];

interface KeyActionsProps {
  readonly target: KeyRow;
  readonly onOpen: (open: OpenKeyDialog) => void;
}

/** Opens the dialogs of a key; a revoked key has none. */
export function KeyActions({ target, onOpen }: KeyActionsProps) {
  if (target.revoked_at !== null) return null;
  const open = (kind: OpenKeyDialog['kind']) => () => onOpen({ kind, target });
  return (
    <RowActions
      of={target.label}
      actions={{ Change: open('update'), Rotate: open('rotate'), Revoke: open('revoke') }}
    />
  );
}

export function KeyState({ of: { revoked_at, expires_at } }: { of: Pick<KeyRow, 'revoked_at' | 'expires_at'> }) {
  if (revoked_at !== null) return <span class="bad">revoked {minute(revoked_at)}</span>;
  if (expires_at === null) return <span class="good">active</span>;
  if (Date.parse(expires_at) <= Date.now()) return <span class="bad">expired</span>;
  return <span class="good">until {minute(expires_at)}</span>;
}
