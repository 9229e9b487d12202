import { useState } from 'preact/hooks';
import type { BudgetRow } from '../../../src/api/contract.js';
import { sendJson } from '../api.js';
import { ActionDialog, ConfirmDialog } from '../ui/dialog.js';
import { AmountField, Field, Select } from '../ui/field.js';
import { RESETS } from './key-fields.js';

/** What happens to a call that a budget has no room for. */
export const MODES: Readonly<Record<BudgetRow['mode'], string>> = {
  enforce: 'refuses calls',
  warn: 'only warns',
};

interface BudgetDialogProps {
  /** Of the budgets of the organization. */
  readonly path: string;
  readonly target: BudgetRow | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sets a new budget, or changes a budget. */
export function BudgetDialog({ path, target, onDone, onClose }: BudgetDialogProps) {
  const [id, setId] = useState(target?.id ?? '');
  const [limit, setLimit] = useState(target?.limit ?? '');
  const [limit_reset, setReset] = useState<string>(target?.limit_reset ?? '');
  const [mode, setMode] = useState<string>(target?.mode ?? 'enforce');
  const save = async () => {
    await sendJson('PUT', pathOfBudget(path, id.trim()), { limit, limit_reset: limit_reset || null, mode });
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

/** The server refuses, with the ids of the keys, while keys name the budget. */
export function DeleteBudgetDialog({ path, target, ...dialog }: BudgetDialogProps & { readonly target: BudgetRow }) {
  return (
    <ConfirmDialog<unknown>
      {...dialog}
      method="DELETE"
      path={pathOfBudget(path, target.id)}
      title={`Delete ${target.id}?`}
      action="Delete"
      isDangerous
    >
      Keys can no longer name it. Its past usage stays in the statements.
    </ConfirmDialog>
  );
}

function pathOfBudget(path: string, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}
