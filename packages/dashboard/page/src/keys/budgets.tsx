import { useState } from 'preact/hooks';
import type { BudgetRow } from '../../../src/api/contract.js';
import { minute } from '../format.js';
import { type Column, LoadedTable, MoreButton } from '../ui/data-table.js';
import { Cut, Money, RowActions } from '../ui/parts.js';
import { usePages } from '../use-load.js';
import { BudgetDialog, DeleteBudgetDialog, MODES } from './budget-dialogs.js';
import { limitText } from './keys-section.js';

interface OpenDialog {
  readonly kind: 'set' | 'delete';
  /** None for a new budget. */
  readonly target?: BudgetRow;
}

/** The budgets of an organization, with actions for operators. */
export function Budgets({ organization, isOperator }: { organization: string; isOperator: boolean }) {
  const path = `organizations/${encodeURIComponent(organization)}/budgets`;
  const budgets = usePages<BudgetRow>(path);
  const [open, setOpen] = useState<OpenDialog>();
  const onClose = () => setOpen(undefined);
  const onDone = () => {
    onClose();
    budgets.reload();
  };
  const actions: Column<BudgetRow> = {
    title: 'Actions',
    cell: (target) => (
      <RowActions
        of={target.id}
        actions={{
          Change: () => setOpen({ kind: 'set', target }),
          Delete: () => setOpen({ kind: 'delete', target }),
        }}
      />
    ),
  };
  return (
    <>
      <LoadedTable
        loaded={budgets}
        caption={`Budgets of ${organization}, in USD`}
        columns={isOperator ? [...COLUMNS, actions] : COLUMNS}
        rowKey={({ id }) => id}
        empty="No budgets. A budget limits what several keys spend together."
      />
      <MoreButton pages={budgets} />
      {isOperator && (
        <button type="button" onClick={() => setOpen({ kind: 'set' })}>
          Set a budget
        </button>
      )}
      {open?.kind === 'set' && <BudgetDialog {...{ path, onDone, onClose }} target={open.target} />}
      {open?.kind === 'delete' && open.target && (
        <DeleteBudgetDialog {...{ path, onDone, onClose }} target={open.target} />
      )}
    </>
  );
}

const COLUMNS: readonly Column<BudgetRow>[] = [
  { title: 'Budget', cell: ({ id }) => <Cut>{id}</Cut> },
  { title: 'Used', cell: ({ usage }) => <Money amount={usage} />, isNumber: true },
  { title: 'Limit', cell: ({ limit, limit_reset }) => limitText(limit, limit_reset), isNumber: true },
  { title: 'Left', cell: ({ limit_remaining }) => <Money amount={limit_remaining} />, isNumber: true },
  { title: 'Held', cell: ({ held }) => <Money amount={held} />, isNumber: true },
  { title: 'Without room', cell: ({ mode }) => MODES[mode] },
  { title: 'Starts over (UTC)', cell: ({ resets_at }) => (resets_at === null ? 'never' : minute(resets_at)) },
];
