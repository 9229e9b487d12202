import {
  type AppliedEntry,
  type HoldEnding,
  type KeyCounters,
  type LedgerEntry,
  type LedgerState,
  type LimitWindows,
  limitWindowsAt,
  type OrganizationCounters,
  type StoredHold,
} from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import {
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
  /** Writes the counters that have changed. */
  flush(): void;
}

/** A hold as it is stored. */
export interface HoldRow {
  readonly id: string;
  readonly organization_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly amount: bigint;
  readonly status: 'open' | HoldEnding['status'];
  /** What was charged; `null` where nothing was. */
  readonly cost: bigint | null;
}

interface AppliedRow {
  readonly organization_id: string;
  readonly key_id: string | null;
  readonly amount: bigint;
}

export const READ_HOLDS = 'SELECT id, organization_id, key_id, model, amount, status, cost FROM searchgate_holds';
const READ_HOLD = `${READ_HOLDS} WHERE id = ?`;
const INSERT_HOLD = `INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
const END_HOLD = 'UPDATE searchgate_holds SET status = ?, cost = ?, ended_at_ms = ? WHERE id = ?';
// The kinds are named once more for the sake of the partial index.
const FIND_APPLIED = `SELECT organization_id, key_id, amount FROM searchgate_entries
  WHERE kind = ? AND id = ? AND kind IN ('grant', 'adjustment')`;

export function openState(connection: Connection, nowMs: number): SqliteState {
  const organizations = cached<OrganizationCounters>(connection, readOrganizationCounters, writeOrganizationCounters);
  const keys = cached<KeyCounters>(connection, readKeyCounters, writeKeyCounters);
  let append: ((entry: LedgerEntry) => void) | undefined;
  let windows: LimitWindows | undefined;

  function holdRow(id: string): HoldRow | undefined {
    return connection.statement<HoldRow>(READ_HOLD).get(id);
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
    organization: organizations.change,
    key: keys.change,
    countersOf: ({ organizationId, keyId }) => ({
      organization: organizations.change(organizationId),
      key: keys.change(keyId),
    }),
    findApplied: (kind, id) => findApplied(connection, kind, id),
    findOpenHold(id) {
      const row = holdRow(id);
      return row?.status === 'open' ? holdOf(row) : undefined;
    },
    findEndedHold(id) {
      const row = holdRow(id);
      if (row === undefined || row.status === 'open') return undefined;
      const { status, cost } = row;
      return status === 'expired' && cost === null
        ? { status, cost: 0n, unpaid: holdOf(row) }
        : { status, cost: cost ?? 0n };
    },
    addHold({ holdId: id, organizationId, keyId, model, expiresAtMs }, amount) {
      const values = [id, organizationId, keyId, model, amount, BigInt(expiresAtMs)] as const;
      if (connection.statement(INSERT_HOLD).run(...values) === 0) return undefined;
      return { id, organizationId, keyId, model, amount };
    },
    endHold(hold, { status, cost, unpaid }) {
      const isCharged = status !== 'released' && unpaid === undefined;
      connection.statement(END_HOLD).run(status, isCharged ? cost : null, BigInt(nowMs), hold.id);
    },
    append(entry) {
      append ??= appendTo(connection, nowMs);
      append(entry);
    },
    flush() {
      organizations.flush();
      keys.flush();
    },
  };
}

export function holdOf({ id, organization_id: organizationId, key_id: keyId, model, amount }: HoldRow): StoredHold {
  return { id, organizationId, keyId, model, amount };
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
