import { useState } from 'preact/hooks';
import type { OrganizationView, Session, UsageLine, UsageTable } from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { apiUrl, getJson } from '../api.js';
import { count, minute, usd } from '../format.js';
import { BalanceTiles } from '../spend/balance.js';
import { type Column, DataTable, LoadedTable, MoreButton } from '../ui/data-table.js';
import { Cut, ErrorNotice, Money, RowActions, Skeleton } from '../ui/parts.js';
import { useLoad, usePages } from '../use-load.js';
import { Budgets } from './budgets.js';
import { DomainsText } from './domain-fields.js';
import { limitsText } from './limit-fields.js';
import { CreateOrganizationDialog, GrantDialog, LimitsDialog, SuspendDialog } from './organization-dialogs.js';
import { TenantKeys } from './tenant-keys.js';

interface OrganizationsSectionProps {
  readonly session: Session;
  /** The organization shown in detail; `''` for none. */
  readonly chosen: string;
  readonly onChosen: (organization: string) => void;
}

/** The list of organizations, or one organization with its balance; with actions for operators. */
export function OrganizationsSection({ session, chosen, onChosen }: OrganizationsSectionProps) {
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = session.has_keys && session.role === 'operator' && session.organizations === 'all';
  return (
    <section aria-label="Organizations">
      <div class="title-row">
        <h2>{chosen === '' ? 'Organizations' : `Organization ${chosen}`}</h2>
        {mayCreate && (
          <button type="button" onClick={() => setIsCreating(true)}>
            Create an organization
          </button>
        )}
      </div>
      {chosen === '' ? (
        <OrganizationList {...{ session, mayCreate, onChosen }} />
      ) : (
        <OrganizationDetails key={chosen} id={chosen} session={session} />
      )}
      {isCreating && (
        <CreateOrganizationDialog
          onClose={() => setIsCreating(false)}
          onDone={({ id }) => {
            setIsCreating(false);
            onChosen(id);
          }}
        />
      )}
    </section>
  );
}

interface ListProps extends Omit<OrganizationsSectionProps, 'chosen'> {
  readonly mayCreate: boolean;
}

function OrganizationList({ session, mayCreate, onChosen }: ListProps) {
  const { has_keys, role } = session;
  const organizations = usePages<OrganizationView>('organizations');
  const [target, setTarget] = useState<OrganizationView>();
  const { data, replace } = organizations;
  const actions: Column<OrganizationView> = {
    title: 'Actions',
    cell: (row) => (
      <RowActions
        of={row.id}
        actions={{
          Open: () => onChosen(row.id),
          ...(role === 'operator' && { 'Grant credits': () => setTarget(row) }),
        }}
      />
    ),
  };
  const onDone = (changed: OrganizationView) => {
    setTarget(undefined);
    if (data !== undefined) replace({ ...data, data: data.data.map((row) => (row.id === changed.id ? changed : row)) });
  };
  return (
    <>
      <LoadedTable
        loaded={organizations}
        caption="Organizations, in USD"
        columns={[ID, ...AMOUNTS, ...(has_keys ? COLUMNS : []), actions]}
        rowKey={({ id }) => id}
        empty={
          <>
            No organizations yet. {mayCreate && 'Create one, grant it credits, then create a key for it.'}
            {!has_keys && 'They appear with their first grant or answer. Type an id above to grant credits.'}
          </>
        }
      />
      <MoreButton pages={organizations} />
      {target && <GrantDialog target={target} session={session} onDone={onDone} onClose={() => setTarget(undefined)} />}
    </>
  );
}

const ID: Column<OrganizationView> = {
  title: 'Id',
  cell: ({ id }) => <Cut href={linkTo('keys', { organization: id })}>{id}</Cut>,
};

const COLUMNS: readonly Column<OrganizationView>[] = [
  { title: 'Name', cell: ({ name }) => name ?? '–' },
  { title: 'State', cell: (organization) => <State of={organization} /> },
  { title: 'Limits', cell: limitsText },
  { title: 'Created (UTC)', cell: ({ created_at }) => (created_at === null ? '–' : minute(created_at)) },
];

const AMOUNTS: readonly Column<OrganizationView>[] = [
  {
    title: 'Balance',
    cell: ({ balance, operator_pays }) => (operator_pays ? 'operator pays' : <Money amount={balance} />),
    isNumber: true,
  },
  { title: 'This month', cell: ({ spent_this_month }) => <Money amount={spent_this_month} />, isNumber: true },
  { title: 'Keys', cell: ({ keys }) => (keys === null ? '–' : count(keys)), isNumber: true },
];

function State({ of: { suspended_at } }: { of: OrganizationView }) {
  return suspended_at === null ? (
    <span class="good">active</span>
  ) : (
    <span class="bad">suspended {minute(suspended_at)}</span>
  );
}

const DIALOGS = { grant: GrantDialog, limits: LimitsDialog, suspend: SuspendDialog } as const;

function OrganizationDetails({ id, session }: { id: string; session: Session }) {
  const { has_keys, tenant_key_providers: providers } = session;
  const isOperator = session.role === 'operator';
  const path = `organizations/${encodeURIComponent(id)}`;
  const { data, error, isLoading, reload, replace } = useLoad(path, () => getJson<OrganizationView>(path));
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>();
  if (data === undefined) {
    return isLoading ? <Skeleton what="the organization" /> : <ErrorNotice error={error} onRetry={reload} />;
  }
  const OpenDialog = dialog && DIALOGS[dialog];
  const onClose = () => setDialog(undefined);
  const onDone = (changed: OrganizationView) => {
    onClose();
    replace(changed);
  };
  return (
    <>
      <BalanceTiles organization={data} />
      {has_keys && (
        <div>
          {data.name !== null && `${data.name} · `}
          <State of={data} /> · limits: {limitsText(data)} · domains: <DomainsText domains={data.domains} />
        </div>
      )}
      {isOperator && (
        <div class="buttons start">
          <button type="button" onClick={() => setDialog('grant')}>
            Grant credits
          </button>
          {has_keys && (
            <>
              <button type="button" onClick={() => setDialog('limits')}>
                Set limits
              </button>
              <button type="button" onClick={() => setDialog('suspend')}>
                {data.suspended_at === null ? 'Suspend' : 'Resume'}
              </button>
            </>
          )}
        </div>
      )}
      {has_keys ? <Budgets organization={id} session={session} /> : <HostKeys organization={id} />}
      {providers && (
        <TenantKeys organization={id} mayChange={session.role === 'tenant' || isOperator} providers={providers} />
      )}
      {OpenDialog && <OpenDialog target={data} session={session} onDone={onDone} onClose={onClose} />}
    </>
  );
}

const KEY_COLUMNS: readonly Column<UsageLine>[] = [
  { title: 'Key', cell: ({ group }) => <code>{group}</code> },
  { title: 'Requests', cell: ({ requests }) => count(requests), isNumber: true },
  { title: 'Charged', cell: ({ charged }) => usd(charged), isNumber: true },
];

/** The callers named by the host, by spending. */
function HostKeys({ organization }: { organization: string }) {
  const query = { by: 'key', organization };
  const { data, error, reload } = useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
  const rows = data?.data.filter(({ group }) => group !== null) ?? [];
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {rows.length > 0 && (
        <DataTable
          caption="Keys of the host with usage in the last 30 days, in USD"
          columns={KEY_COLUMNS}
          rows={rows}
          rowKey={({ group }) => group ?? ''}
        />
      )}
    </>
  );
}
