import { useState } from 'preact/hooks';
import type { OrganizationView, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { count, minute } from '../format.js';
import { type Column, LoadedTable, MoreButton } from '../ui/data-table.js';
import { SearchField } from '../ui/field.js';
import { Cut, Money } from '../ui/parts.js';
import { usePages } from '../use-load.js';
import { CreateOrganizationDialog } from './organization-dialogs.js';

/** The list of organizations, with actions for operators. */
export function OrganizationList({ session }: { session: Session }) {
  const { has_keys, role } = session;
  const { params, change } = useAddress();
  const { search = '' } = params;
  const organizations = usePages<OrganizationView>('organizations', { search });
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = has_keys && role === 'operator' && session.organizations === 'all';
  return (
    <>
      <div class="toolbar">
        <SearchField
          isLive
          label="Search"
          value={search}
          onSearch={(text) => change({ search: text }, 'replace')}
          placeholder="id or name"
        />
        {mayCreate && (
          <div class="buttons">
            <button type="button" class="primary" onClick={() => setIsCreating(true)}>
              Create an organization
            </button>
          </div>
        )}
      </div>
      <LoadedTable
        loaded={organizations}
        caption="Organizations, in USD"
        columns={has_keys ? [...COLUMNS, ...OF_REGISTRY] : COLUMNS}
        rowKey={({ id }) => id}
        empty={
          organizations.more === null ? (
            <Hint search={search} mayCreate={mayCreate} ofHost={!has_keys} />
          ) : (
            'None of those that were searched has this text. Show more to search further.'
          )
        }
      />
      <MoreButton key={search} pages={organizations} />
      {isCreating && (
        <CreateOrganizationDialog
          onClose={() => setIsCreating(false)}
          onDone={({ id }) => change({ search: '', organization: id })}
        />
      )}
    </>
  );
}

function Hint({ search, mayCreate, ofHost }: { search: string; mayCreate: boolean; ofHost: boolean }) {
  if (search !== '' && !ofHost) return 'No id and no name has this text.';
  if (search === '') {
    if (ofHost)
      return 'No organizations yet. They appear with their first grant or answer. Search for an id to grant credits.';
    return `No organizations yet. ${mayCreate ? 'Create one, grant it credits, then create a key for it.' : ''}`;
  }
  return (
    <>
      No organization with a grant or an answer has this text.{' '}
      <a href={linkTo('organizations', { organization: search })}>Open {search}</a> to grant it credits.
    </>
  );
}

const COLUMNS: readonly Column<OrganizationView>[] = [
  {
    title: 'Id',
    cell: ({ id, name }) => (
      <>
        <Cut href={linkTo('organizations', { organization: id })}>{id}</Cut>
        {name !== null && name !== id && (
          <small class="hint">
            {' '}
            <Cut>{name}</Cut>
          </small>
        )}
      </>
    ),
  },
  {
    title: 'Balance',
    cell: ({ balance, operator_pays }) => (operator_pays ? 'operator pays' : <Money amount={balance} />),
    isNumber: true,
  },
  { title: 'This month', cell: ({ spent_this_month }) => <Money amount={spent_this_month} />, isNumber: true },
  {
    title: 'Last use (UTC)',
    cell: ({ last_used_at }) => (last_used_at === null ? '–' : minute(last_used_at)),
    isNumber: true,
  },
];

const OF_REGISTRY: readonly Column<OrganizationView>[] = [
  {
    title: 'Keys',
    cell: ({ id, keys }) => {
      const text = keys === null ? 'keys' : count(keys);
      return (
        <a href={linkTo('keys', { organization: id })} aria-label={`${text}: keys of ${id}`}>
          {text}
        </a>
      );
    },
    isNumber: true,
  },
  { title: 'State', cell: (organization) => <OrganizationState of={organization} /> },
];

export function OrganizationState({ of: { suspended_at } }: { of: OrganizationView }) {
  if (suspended_at === null) return <span class="good">active</span>;
  return <span class="bad">suspended {minute(suspended_at)}</span>;
}
