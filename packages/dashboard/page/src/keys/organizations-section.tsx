import { useState } from 'preact/hooks';
import type { OrganizationView, Session, UsageLine, UsageTable } from '../../../src/api/contract.js';
import { apiUrl, getJson } from '../api.js';
import { count, minute, usd } from '../format.js';
import { BalanceTiles } from '../spend/balance.js';
import { type Column, DataTable, MoreButton } from '../ui/data-table.js';
import { Empty, ErrorNotice, Loading, RowActions } from '../ui/parts.js';
import { useLoad, usePages } from '../use-load.js';
import { limitsText } from './limit-fields.js';
import { CreateOrganizationDialog, GrantDialog, LimitsDialog, SuspendDialog } from './organization-dialogs.js';

interface OrganizationsSectionProps {
  readonly session: Session;
  /** The organization shown in detail; `''` for none. */
  readonly chosen: string;
  readonly onChosen: (organization: string) => void;
}

/** The list of organizations, or one organization with its balance; with actions for operators. */
export function OrganizationsSection({ session, chosen, onChosen }: OrganizationsSectionProps) {
  const [isCreating, setIsCreating] = useState(false);
  const { has_keys } = session;
  const mayCreate = has_keys && session.role === 'operator' && session.organizations === 'all';
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
        <OrganizationList has_keys={has_keys} mayCreate={mayCreate} onChosen={onChosen} />
      ) : (
        <OrganizationDetails key={chosen} id={chosen} has_keys={has_keys} isOperator={session.role === 'operator'} />
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

interface ListProps extends Pick<Session, 'has_keys'>, Pick<OrganizationsSectionProps, 'onChosen'> {
  readonly mayCreate: boolean;
}

function OrganizationList({ has_keys, mayCreate, onChosen }: ListProps) {
  const organizations = usePages<OrganizationView>('organizations');
  const { data, error, isLoading, reload } = organizations;
  const open: Column<OrganizationView> = {
    title: 'Actions',
    cell: ({ id }) => <RowActions of={id} actions={{ Open: () => onChosen(id) }} />,
  };
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && isLoading && <Loading what="the organizations" />}
      {data?.data.length === 0 && (
        <Empty>
          No organizations yet. {mayCreate && 'Create one, grant it credits, then create a key for it.'}
          {!has_keys && 'They appear with their first grant or answer. Type an id above to grant credits.'}
        </Empty>
      )}
      {data !== undefined && data.data.length > 0 && (
        <DataTable
          caption="Organizations with what they used, in USD"
          columns={[ID, ...(has_keys ? COLUMNS : []), ...AMOUNTS, open]}
          rows={data.data}
          rowKey={({ id }) => id}
        />
      )}
      <MoreButton pages={organizations} />
    </>
  );
}

const ID: Column<OrganizationView> = { title: 'Id', cell: ({ id }) => id };

const COLUMNS: readonly Column<OrganizationView>[] = [
  { title: 'Name', cell: ({ name }) => name ?? '–' },
  { title: 'State', cell: (organization) => <State of={organization} /> },
  { title: 'Limits', cell: limitsText },
  { title: 'Created (UTC)', cell: ({ created_at }) => (created_at === null ? '–' : minute(created_at)) },
];

const AMOUNTS: readonly Column<OrganizationView>[] = [
  { title: 'Used', cell: ({ usage }) => usd(usage), isNumber: true },
  { title: 'Balance', cell: ({ balance }) => usd(balance), isNumber: true },
];

function State({ of: { suspended_at } }: { of: OrganizationView }) {
  return suspended_at === null ? (
    <span class="good">active</span>
  ) : (
    <span class="bad">suspended {minute(suspended_at)}</span>
  );
}

const DIALOGS = { grant: GrantDialog, limits: LimitsDialog, suspend: SuspendDialog } as const;

interface DetailsProps extends Pick<Session, 'has_keys'> {
  readonly id: string;
  readonly isOperator: boolean;
}

function OrganizationDetails({ id, has_keys, isOperator }: DetailsProps) {
  const path = `organizations/${encodeURIComponent(id)}`;
  const { data, error, isLoading, reload, replace } = useLoad(path, () => getJson<OrganizationView>(path));
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>();
  if (data === undefined) {
    return isLoading ? <Loading what="the organization" /> : <ErrorNotice error={error} onRetry={reload} />;
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
        <p>
          {data.name !== null && `${data.name} · `}
          <State of={data} /> · limits: {limitsText(data)}
        </p>
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
      {!has_keys && <HostKeys organization={id} />}
      {OpenDialog && <OpenDialog target={data} onDone={onDone} onClose={onClose} />}
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
