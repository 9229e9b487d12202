import {
  type AppliedEntry,
  budgetName,
  type LedgerEntry,
  type LedgerState,
  type LimitWindows,
  limitWindowsAt,
  type RateState,
} from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { createUsageWriter, type UsageWriter } from '../usage/write-usage.js';
import {
  BUDGET_COUNTERS,
  type CounterRows,
  KEY_COUNTERS,
  ORGANIZATION_COUNTERS,
  type WithRate,
} from './counter-rows.js';
import { appendTo } from './entry-rows.js';
import { createHoldRows } from './hold-rows.js';

/**
 * The state of one transaction. Counters are read once and written once, at its end, however many operations of a batch use them: that is what makes a
 * hot organization cheap. Holds and entries are written as they come.
 */
export interface SqliteState extends LedgerState {
  readonly connection: Connection;
  /** The moment of this transaction. */
  readonly nowMs: number;
  /** Writes the counters and the sums that have changed. */
  flush(): void;
}

interface AppliedRow {
  readonly key_id: string | null;
  readonly amount: bigint;
  readonly budgets: string | null;
}

const COUNT_BUDGETS = 'SELECT budgets FROM searchgate_budget_counts WHERE organization_id = ?';
// The kinds are named once more for the sake of the partial index.
const FIND_APPLIED = `SELECT key_id, amount, budgets FROM searchgate_entries
  WHERE organization_id = ? AND kind = ? AND id = ? AND kind IN ('grant', 'adjustment')`;

/** @param clockMs what the clock says, which may have parts of milliseconds. */
export function openState(connection: Connection, clockMs: number): SqliteState {
  const nowMs = Math.floor(clockMs);
  const organizations = cached(connection, ORGANIZATION_COUNTERS);
  const keys = cached(connection, KEY_COUNTERS);
  const budgets = cached(connection, BUDGET_COUNTERS);
  const counters = { organization: organizations, key: keys } as const;
  const holds = createHoldRows(connection, nowMs);
  let append: ((entry: LedgerEntry) => void) | undefined;
  let usage: UsageWriter | undefined;
  let windows: LimitWindows | undefined;

  return {
    connection,
    nowMs,
    now: () => nowMs,
    windows() {
      windows ??= limitWindowsAt(nowMs);
      return windows;
    },
    readOrganization: organizations.read,
    readKey: keys.read,
    readBudget: (organizationId, id) => budgets.read(budgetName(organizationId, id)),
    countBudgets(organizationId) {
      const [counted] = connection.tuples<readonly [bigint]>(COUNT_BUDGETS).get(organizationId) ?? [0n];
      return Number(counted) + budgets.countAdded(budgetName(organizationId, ''));
    },
    readRate(subject, id): RateState | undefined {
      const known = counters[subject].read(id);
      const rate = known.newRate ?? known.rate;
      return rate !== undefined && rate.drainsAtMs > nowMs ? rate : undefined;
    },
    setRate(subject, id, rate) {
      counters[subject].change(id).newRate = rate;
    },
    organization: organizations.change,
    key: keys.change,
    budget: (organizationId, id) => budgets.change(budgetName(organizationId, id)),
    countersOf: ({ organizationId, keyId, budgetIds }) => ({
      organization: organizations.change(organizationId),
      key: keys.change(keyId),
      budgets: budgetIds?.map((id) => budgets.change(budgetName(organizationId, id))),
    }),
    findApplied: (entry) => findApplied(connection, entry),
    findOpenHold: holds.findOpenHold,
    findEndedHold: holds.findEndedHold,
    addHold: holds.addHold,
    endHold: holds.endHold,
    append(entry) {
      append ??= appendTo(connection, nowMs);
      append(entry);
      usage ??= createUsageWriter(connection);
      usage.add(entry);
    },
    flush() {
      organizations.flush();
      keys.flush();
      budgets.flush();
      usage?.flush();
    },
  };
}

function findApplied(
  connection: Connection,
  { organizationId, kind, id }: Pick<AppliedEntry, 'organizationId' | 'kind' | 'id'>,
) {
  const row = connection.statement<AppliedRow>(FIND_APPLIED).get(organizationId, kind, id);
  return row && { keyId: row.key_id, amount: row.amount, budgets: row.budgets?.split(' ') };
}

/** Counters by id: read when first asked for, written at the end if they were to be changed. */
function cached<T>(connection: Connection, rows: CounterRows<T>) {
  const known = new Map<string, WithRate<T>>();
  const changed = new Set<string>();
  const added: string[] = [];

  function readOnce(id: string): WithRate<T> {
    let counters = known.get(id);
    if (counters === undefined) {
      counters = rows.read(connection, id) ?? rows.zero;
      known.set(id, counters);
    }
    return counters;
  }

  return {
    read: readOnce,
    change(id: string): WithRate<T> {
      changed.add(id);
      const counters = readOnce(id);
      if (counters !== rows.zero) return counters;
      const own = { ...counters };
      known.set(id, own);
      added.push(id);
      return own;
    },
    /** How many ids are new in this transaction. */
    countAdded: (prefix: string) => added.filter((id) => id.startsWith(prefix)).length,
    flush(): void {
      for (const id of changed) rows.write(connection, id, known.get(id) as WithRate<T>);
      changed.clear();
    },
  };
}
