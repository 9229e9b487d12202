import { useState } from 'preact/hooks';
import type { BudgetRow, Session } from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { sendJson } from '../api.js';
import { minute } from '../format.js';
import type { Column } from '../ui/data-table.js';
import { ActionDialog } from '../ui/dialog.js';
import { AmountField, Field, Select } from '../ui/field.js';
import { Cut, Money } from '../ui/parts.js';
import { RESETS } from './key-fields.js';
import { limitText } from './keys-section.js';
import { type PartDialogProps, PartList } from './part-list.js';

/** What happens to a call that a budget has no room for. */
const MODES: Readonly<Record<BudgetRow['mode'], string>> = {
  enforce: 'refuses calls',
  warn: 'only warns',
};

/** The budgets of an organization, with links to their calls, and actions for operators. */
export function Budgets({ organization, session }: { organization: string; session: Session }) {
  const link: Column<BudgetRow> = {
    title: 'Budget',
    cell: ({ id }) => (
      <Cut href={session.has_requests ? linkTo('requests', { organization, budget: id }) : undefined}>{id}</Cut>
    ),
  };
  return (
    <PartList<BudgetRow>
      path={`organizations/${encodeURIComponent(organization)}/budgets`}
      isOperator={session.role === 'operator'}
      caption={`Budgets of ${organization}, in USD`}
      columns={[link, ...COLUMNS]}
      idOf={({ id }) => id}
      empty="No budgets. A budget limits what several keys spend together."
      action="Set a budget"
      setDialog={(props) => <BudgetDialog {...props} />}
      deletion="Keys can no longer name it. Its past usage stays in the statements."
    />
  );
}

const COLUMNS: readonly Column<BudgetRow>[] = [
  { title: 'Used', cell: ({ usage }) => <Money amount={usage} />, isNumber: true },
  { title: 'Limit', cell: ({ limit, limit_reset }) => limitText(limit, limit_reset), isNumber: true },
  { title: 'Left', cell: ({ limit_remaining }) => <Money amount={limit_remaining} />, isNumber: true },
  { title: 'Held', cell: ({ held }) => <Money amount={held} />, isNumber: true },
  { title: 'Without room', cell: ({ mode }) => MODES[mode] },
  { title: 'Starts over (UTC)', cell: ({ resets_at }) => (resets_at === null ? 'never' : minute(resets_at)) },
];

/** Sets a new budget, or changes a budget. */
function BudgetDialog({ path, target, onDone, onClose }: PartDialogProps<BudgetRow>) {
  const [id, setId] = useState(target?.id ?? '');
  const [limit, setLimit] = useState(target?.limit ?? '');
  const [limit_reset, setReset] = useState<string>(target?.limit_reset ?? '');
  const [mode, setMode] = useState<string>(target?.mode ?? 'enforce');
  const save = async () => {
    const budget = { limit, limit_reset: limit_reset || null, mode };
    await sendJson('PUT', `${path}/${encodeURIComponent(id.trim())}`, budget);
    onDone();
  };
  return (
    <ActionDialog
      title={target === undefined ? 'Set a budget' : `Change ${target.id}`}
      action="Save"
      onAction={save}
      onClose={onClose}
    >
      <div class="grid">
        {target === undefined && (
          <Field
            label="Id"
            required
            maxLength={128}
            value={id}
            onValue={setId}
            hint="Such as team:research. A budget with this id is replaced"
          />
        )}
        <AmountField label="Limit in USD" required value={limit} onValue={setLimit} hint="Such as 200.00" />
        <Select label="Limit starts over" value={limit_reset} onValue={setReset} options={RESETS} />
        <Select label="Without room" value={mode} onValue={setMode} options={Object.entries(MODES)} />
      </div>
    </ActionDialog>
  );
}
