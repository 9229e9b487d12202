import {
  type BudgetCounters,
  type KeyCounters,
  NO_BUDGET_COUNTERS,
  NO_KEY_COUNTERS,
  NO_ORGANIZATION_COUNTERS,
  type OrganizationCounters,
  type RateState,
  type WindowedUsage,
} from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { type Fields, flag, plain, type RecordsById, recordsById, whole } from '../engine/rows.js';

/** What is used of a rate, as it is stored. */
interface StoredRate extends RateState {
  /** From when on nothing of it is left. */
  readonly drainsAtMs: number;
}

/** Kept in the row of the counters, which a hold reads and writes anyway. */
interface Rated {
  readonly rate?: StoredRate | undefined;
}

/** Counters with their rate. */
export type WithRate<Counters> = Counters &
  Rated & {
    /** What the rate becomes; a row is written without its rate where that stays as it is. */
    newRate?: StoredRate | undefined;
  };

const RATE: Fields<Rated> = {
  rate: {
    columns: ['rate_used', 'rate_at_ms', 'rate_drains_at_ms'],
    store: (rate) =>
      rate === undefined ? [null, null, null] : [rate.used, BigInt(rate.atMs), BigInt(rate.drainsAtMs)],
    load: (row, at) =>
      row[at] === null
        ? undefined
        : { used: row[at] as number, atMs: Number(row[at + 1]), drainsAtMs: Number(row[at + 2]) },
  },
};

export const ORGANIZATION_COUNTERS = countersIn<OrganizationCounters>(
  'searchgate_organization_totals',
  { credits: plain('credits'), usage: plain('usage'), held: plain('held'), inFlight: whole('in_flight') },
  NO_ORGANIZATION_COUNTERS,
);

/** The usage of a key or a budget, in its counters and in its checkpoint. */
export const WINDOWED_USAGE: Fields<WindowedUsage> = {
  usage: plain('usage'),
  latestDay: whole('latest_day'),
  beforeDay: plain('before_day'),
  beforeWeek: plain('before_week'),
  beforeMonth: plain('before_month'),
};

export const KEY_COUNTERS = countersIn<KeyCounters>(
  'searchgate_key_totals',
  { ...WINDOWED_USAGE, held: plain('held'), inFlight: whole('in_flight') },
  NO_KEY_COUNTERS,
);

/** The columns of a budget's name. */
export const BUDGET_ID = ['organization_id', 'budget_id'];

/** By the names of budgets. */
export const BUDGET_COUNTERS: CounterRows<BudgetCounters> = {
  ...recordsById<BudgetCounters>(
    'searchgate_budget_totals',
    { ...WINDOWED_USAGE, held: plain('held'), isKept: flag('is_kept') },
    BUDGET_ID,
  ),
  zero: NO_BUDGET_COUNTERS,
};

/** Counters by id. */
export interface CounterRows<Counters> {
  /** Those of an id never seen. */
  readonly zero: Readonly<Counters>;
  read(connection: Connection, id: string): WithRate<Counters> | undefined;
  write(connection: Connection, id: string, counters: WithRate<Counters>): void;
  /** The next counters in the order of their ids. */
  after: RecordsById<Counters>['after'];
}

function countersIn<Counters extends object>(
  table: string,
  fields: Fields<Counters>,
  zero: Readonly<Counters>,
): CounterRows<Counters> {
  const bare = recordsById<Counters>(table, fields);
  const rated = recordsById<Counters & Rated>(table, { ...fields, ...RATE } as Fields<Counters & Rated>);
  return {
    zero,
    read: rated.read,
    after: bare.after,
    write(connection, id, counters) {
      if (counters.newRate === undefined) bare.write(connection, id, counters);
      else rated.write(connection, id, { ...counters, rate: counters.newRate });
    },
  };
}
