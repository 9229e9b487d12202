import {
  type AppliedEntry,
  type HoldEnding,
  type LedgerEntry,
  type LedgerState,
  type LimitWindows,
  limitWindowsAt,
  type RateState,
  type StoredHold,
} from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { createUsageWriter, type UsageWriter } from '../usage/write-usage.js';
import {
  type RatedKey,
  type RatedOrganization,
  readKeyCounters,
  readOrganizationCounters,
  writeKeyCounters,
  writeOrganizationCounters,
} from './counter-rows.js';
import { appendTo } from './entry-rows.js';

/**
 * The state of one transaction. Counters are read once and written once, at its end, however many operations of a batch use them: that is what makes a
 * hot organization cheap. Holds and entries are written as they come.
 */
export interface SqliteState extends LedgerState {
  readonly connection: Connection;
  /** The moment of this transaction. */
  readonly nowMs: number;
  /** Adds an entry to the sums of usage alone. */
  addUsage(entry: LedgerEntry): void;
  /** Writes the counters and the sums that have changed. */
  flush(): void;
}

/** A hold as it is stored. */
export type HoldRow = readonly [
  id: string,
  organizationId: string,
  keyId: string,
  model: string,
  amount: bigint,
  takesPlace: bigint,
  status: 'open' | HoldEnding['status'],
  /** What was charged; `null` where nothing was. */
  cost: bigint | null,
  tag: string | null,
];

interface AppliedRow {
  readonly organization_id: string;
  readonly key_id: string | null;
  readonly amount: bigint;
}

export const READ_HOLDS =
  'SELECT id, organization_id, key_id, model, amount, takes_place, status, cost, tag FROM searchgate_holds';
/** Their places in a row. */
const STATUS = 6;
const COST = 7;
const READ_HOLD = `${READ_HOLDS} WHERE id = ?`;
const INSERT_HOLD = `INSERT INTO searchgate_holds
  (id, organization_id, key_id, model, amount, takes_place, expires_at_ms, tag, created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
const END_HOLD = 'UPDATE searchgate_holds SET status = ?, cost = ?, ended_at_ms = ? WHERE id = ?';
const SETTLE_HOLD = `UPDATE searchgate_holds SET status = 'settled', cost = ?, ended_at_ms = ?, model = ?, provider = ?
  WHERE id = ?`;
// The kinds are named once more for the sake of the partial index.
const FIND_APPLIED = `SELECT organization_id, key_id, amount FROM searchgate_entries
  WHERE kind = ? AND id = ? AND kind IN ('grant', 'adjustment')`;

/** @param clockMs what the clock says, which may have parts of milliseconds. */
export function openState(connection: Connection, clockMs: number): SqliteState {
  const nowMs = Math.floor(clockMs);
  const organizations = cached<RatedOrganization>(connection, readOrganizationCounters, writeOrganizationCounters);
  const keys = cached<RatedKey>(connection, readKeyCounters, writeKeyCounters);
  const counters = { organization: organizations, key: keys } as const;
  let append: ((entry: LedgerEntry) => void) | undefined;
  let usage: UsageWriter | undefined;
  let windows: LimitWindows | undefined;

  function addUsage(entry: LedgerEntry): void {
    usage ??= createUsageWriter(connection);
    usage.add(entry);
  }

  function holdRow(id: string): HoldRow | undefined {
    return connection.tuples<HoldRow>(READ_HOLD).get(id);
  }

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
    countersOf: ({ organizationId, keyId }) => ({
      organization: organizations.change(organizationId),
      key: keys.change(keyId),
    }),
    findApplied: (kind, id) => findApplied(connection, kind, id),
    findOpenHold(id) {
      const row = holdRow(id);
      return row?.[STATUS] === 'open' ? holdOf(row) : undefined;
    },
    findEndedHold(id) {
      const row = holdRow(id);
      if (row === undefined) return undefined;
      const { [STATUS]: status, [COST]: cost } = row;
      if (status === 'open') return undefined;
      return status === 'expired' && cost === null
        ? { status, cost: 0n, unpaid: holdOf(row) }
        : { status, cost: cost ?? 0n };
    },
    addHold({ holdId: id, organizationId, keyId, model, tag, expiresAtMs, takesPlace = true }, amount) {
      const owner = [id, organizationId, keyId, model, amount] as const;
      const values = [...owner, BigInt(takesPlace), BigInt(expiresAtMs), tag ?? null, BigInt(nowMs)] as const;
      if (connection.statement(INSERT_HOLD).run(...values) === 0) return undefined;
      return { id, organizationId, keyId, model, amount, takesPlace, tag };
    },
    endHold(hold, { status, cost, unpaid }, served) {
      if (served !== undefined) {
        connection.statement(SETTLE_HOLD).run(cost, BigInt(nowMs), served.model, served.provider, hold.id);
        return;
      }
      const isCharged = status !== 'released' && unpaid === undefined;
      connection.statement(END_HOLD).run(status, isCharged ? cost : null, BigInt(nowMs), hold.id);
    },
    append(entry) {
      append ??= appendTo(connection, nowMs);
      append(entry);
      addUsage(entry);
    },
    addUsage,
    flush() {
      organizations.flush();
      keys.flush();
      usage?.flush();
    },
  };
}

export function holdOf([id, organizationId, keyId, model, amount, places, _status, _cost, tag]: HoldRow): StoredHold {
  return { id, organizationId, keyId, model, amount, takesPlace: places === 1n, tag: tag ?? undefined };
}

function findApplied(connection: Connection, kind: AppliedEntry['kind'], id: string) {
  const row = connection.statement<AppliedRow>(FIND_APPLIED).get(kind, id);
  return row && { organizationId: row.organization_id, keyId: row.key_id, amount: row.amount };
}

type ReadCounters<T> = (connection: Connection, id: string) => T;
type WriteCounters<T> = (connection: Connection, id: string, counters: T) => void;

/** Counters by id: read when first asked for, written at the end if they were to be changed. */
function cached<T>(connection: Connection, read: ReadCounters<T>, write: WriteCounters<T>) {
  const known = new Map<string, T>();
  const changed = new Set<string>();

  function readOnce(id: string): T {
    let counters = known.get(id);
    if (counters === undefined) {
      counters = read(connection, id);
      known.set(id, counters);
    }
    return counters;
  }

  return {
    read: readOnce,
    change(id: string): T {
      changed.add(id);
      return readOnce(id);
    },
    flush(): void {
      for (const id of changed) write(connection, id, known.get(id) as T);
      changed.clear();
    },
  };
}
