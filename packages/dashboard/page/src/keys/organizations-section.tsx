import { useState } from 'preact/hooks';
import type { OrganizationRow, OrganizationView, Session } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { minute } from '../format.js';
import { BalanceTiles } from '../spend/balance.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { MoreButton } from '../ui/more-button.js';
import { Empty, ErrorNotice, Loading } from '../ui/notice.js';
import { RowActions } from '../ui/row-actions.js';
import { useLoad } from '../use-load.js';
import { usePages } from '../use-pages.js';
import { limitsText } from './limit-fields.js';
import { CreateOrganizationDialog, GrantDialog, LimitsDialog, SuspendDialog } from './organization-dialogs.js';

interface OrganizationsSectionProps {
  readonly session: Session;
  /** The one that is shown in full; `''` for none. */
  readonly chosen: string;
  readonly onChosen: (organization: string) => void;
}

/** The list of organizations, or one of them with its balance, and for operators what can be done to it. */
export function OrganizationsSection({ session, chosen, onChosen }: OrganizationsSectionProps) {
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = session.role === 'operator' && session.organizations === 'all';
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
        <OrganizationList mayCreate={mayCreate} onChosen={onChosen} />
      ) : (
        <OrganizationDetails key={chosen} id={chosen} isOperator={session.role === 'operator'} />
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

function OrganizationList({ mayCreate, onChosen }: { mayCreate: boolean; onChosen: (organization: string) => void }) {
  const organizations = usePages<OrganizationRow>('organizations');
  const { data, error, isLoading, reload } = organizations;
  const open: Column<OrganizationRow> = {
    title: 'Actions',
    cell: ({ id }) => <RowActions of={id} actions={{ Open: () => onChosen(id) }} />,
  };
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && isLoading && <Loading what="the organizations" />}
      {data?.rows.length === 0 && (
        <Empty>
          {mayCreate
            ? 'No organizations yet. Create one, grant it credits, then create a key for it.'
            : 'No organizations yet.'}
        </Empty>
      )}
      {data !== undefined && data.rows.length > 0 && (
        <DataTable
          caption="Open one to see its balance"
          columns={[...COLUMNS, open]}
          rows={data.rows}
          rowKey={({ id }) => id}
        />
      )}
      <MoreButton pages={organizations} />
    </>
  );
}

const COLUMNS: readonly Column<OrganizationRow>[] = [
  { title: 'Id', cell: ({ id }) => id },
  { title: 'Name', cell: ({ name }) => name ?? '–' },
  { title: 'State', cell: (organization) => <State of={organization} /> },
  { title: 'Limits', cell: limitsText },
  { title: 'Created (UTC)', cell: ({ createdAt }) => minute(createdAt) },
];

function State({ of: { suspendedAt } }: { of: OrganizationRow }) {
  return suspendedAt === null ? (
    <span class="good">active</span>
  ) : (
    <span class="bad">suspended {minute(suspendedAt)}</span>
  );
}

const DIALOGS = { grant: GrantDialog, limits: LimitsDialog, suspend: SuspendDialog } as const;

function OrganizationDetails({ id, isOperator }: { id: string; isOperator: boolean }) {
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
      <p>
        {data.name !== null && `${data.name} · `}
        <State of={data} /> · limits: {limitsText(data)}
      </p>
      {isOperator && (
        <div class="buttons start">
          <button type="button" onClick={() => setDialog('grant')}>
            Grant credits
          </button>
          <button type="button" onClick={() => setDialog('limits')}>
            Set limits
          </button>
          <button type="button" onClick={() => setDialog('suspend')}>
            {data.suspendedAt === null ? 'Suspend' : 'Resume'}
          </button>
        </div>
      )}
      {OpenDialog && <OpenDialog target={data} onDone={onDone} onClose={onClose} />}
    </>
  );
}
