import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BudgetRow, Session } from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { sendJson } from '../api.js';
import { minute, percent } from '../format.js';
import { RESETS } from '../keys/key-fields.js';
import { ShareBar } from '../ui/charts.js';
import { ActionDialog } from '../ui/dialog.js';
import { AmountField, Field, Select } from '../ui/field.js';
import { Limit, Money } from '../ui/parts.js';
import { type PartDialogProps, PartList } from './part-list.js';

/** What happens to a call that a budget has no room for. */
const MODES: Readonly<Record<BudgetRow['mode'], string>> = {
  enforce: 'refuses calls',
  warn: 'only warns',
};
/** From this share on, a budget is near its limit. */
const NEAR = 0.8;

/** The budgets of an organization, with links to their calls, and actions for operators. */
export function Budgets({ organization, session }: { organization: string; session: Session }) {
  return (
    <PartList<BudgetRow>
      path={`organizations/${encodeURIComponent(organization)}/budgets`}
      isOperator={session.role === 'operator'}
      caption={`Budgets of ${organization}`}
      show={(rows, actionsOf) => (
        <ul class="budgets">
          {rows.map((row) => (
            <BudgetTile
              key={row.id}
              budget={row}
              calls={session.has_requests ? linkTo('requests', { organization, budget: row.id }) : undefined}
            >
              {actionsOf(row)}
            </BudgetTile>
          ))}
        </ul>
      )}
      idOf={({ id }) => id}
      empty="No budgets. A budget limits what several keys spend together."
      action="Set a budget"
      setDialog={(props) => <BudgetDialog {...props} />}
      deletion="Keys can no longer name it. Its past usage stays in the statements."
    />
  );
}

interface BudgetTileProps {
  readonly budget: BudgetRow;
  /** The link to its calls. */
  readonly calls: string | undefined;
  readonly children: JSX.Element | null;
}

function BudgetTile({ budget, calls, children }: BudgetTileProps) {
  const { id, usage, limit, limit_reset, held, mode, resets_at } = budget;
  const [used, most] = [Number(usage), Number(limit)];
  const state = used >= most ? 'over' : used >= NEAR * most ? 'near' : 'within';
  // A color alone would tell too little.
  const words = { within: '', near: ': near its limit', over: mode === 'warn' ? ': over its limit' : ': no room left' }[
    state
  ];
  return (
    <li class={`budget ${state} ${mode}`} aria-label={id}>
      <strong class="name">{calls === undefined ? id : <a href={calls}>{id}</a>}</strong>
      <span class="figure">
        <Money amount={usage} /> of <Limit limit={limit} reset={limit_reset} />
      </span>
      <ShareBar share={most > 0 ? Math.min(1, used / most) : 1} />
      <span class="state">
        {percent(used, most)} used{words}
      </span>
      <span class="hint">
        {mode === 'warn' ? 'Warns, never refuses' : 'Refuses calls without room'}
        {Number(held) > 0 && (
          <>
            {' · '}
            <Money amount={held} /> held
          </>
        )}
      </span>
      {resets_at !== null && <span class="hint">Starts over {minute(resets_at)} UTC</span>}
      {children}
    </li>
  );
}

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
