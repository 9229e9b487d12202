import { budgetIdsOf, type HoldEnding, type LedgerState, type StoredHold } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';

/** A hold as it is stored. */
export type HoldRow = readonly [
  id: string,
  organizationId: string,
  keyId: string,
  model: string,
  amount: bigint,
  usesSlot: bigint,
  status: 'open' | HoldEnding['status'],
  /** What was charged; `null` where nothing was. */
  cost: bigint | null,
  tag: string | null,
  budgets: string | null,
];

export const READ_HOLDS =
  'SELECT id, organization_id, key_id, model, amount, uses_slot, status, cost, tag, budgets FROM searchgate_holds';
/** Their places in a row. */
const STATUS = 6;
const COST = 7;
const READ_HOLD = `${READ_HOLDS} WHERE id = ?`;
const INSERT_HOLD = `INSERT INTO searchgate_holds
  (id, organization_id, key_id, model, amount, uses_slot, expires_at_ms, tag, budgets, created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
const END_HOLD = 'UPDATE searchgate_holds SET status = ?, ended_at_ms = ? WHERE id = ?';
const SETTLE_HOLD = `UPDATE searchgate_holds SET status = 'settled', cost = ?, ended_at_ms = ?, model = ?, provider = ?
  WHERE id = ?`;

/** The part of a state that is about holds. */
type HoldState = Pick<LedgerState, 'findOpenHold' | 'findEndedHold' | 'addHold' | 'endHold'>;

/** Holds are written as they come. */
export function createHoldRows(connection: Connection, nowMs: number): HoldState {
  function holdRow(id: string): HoldRow | undefined {
    return connection.tuples<HoldRow>(READ_HOLD).get(id);
  }

  return {
    findOpenHold(id) {
      const row = holdRow(id);
      return row?.[STATUS] === 'open' ? holdOf(row) : undefined;
    },
    findEndedHold(id) {
      const row = holdRow(id);
      return row === undefined ? undefined : endedOf(row);
    },
    addHold(request, amount) {
      const { holdId: id, organizationId, keyId, model, tag, expiresAtMs, usesSlot = true } = request;
      const budgetIds = budgetIdsOf(request.budgets);
      const owner = [id, organizationId, keyId, model, amount] as const;
      const counted = [BigInt(usesSlot), BigInt(expiresAtMs), tag ?? null, budgetIds?.join(' ') ?? null] as const;
      if (connection.statement(INSERT_HOLD).run(...owner, ...counted, BigInt(nowMs)) === 0) return undefined;
      return { id, organizationId, keyId, model, amount, usesSlot, tag, budgetIds };
    },
    endHold(hold, { status, cost }, served) {
      if (served !== undefined) {
        connection.statement(SETTLE_HOLD).run(cost, BigInt(nowMs), served.model, served.provider, hold.id);
      } else {
        connection.statement(END_HOLD).run(status, BigInt(nowMs), hold.id);
      }
    },
  };
}

export function holdOf(row: HoldRow): StoredHold {
  const [id, organizationId, keyId, model, amount, places, _status, _cost, tag, budgets] = row;
  const budgetIds = budgets?.split(' ');
  return { id, organizationId, keyId, model, amount, usesSlot: places === 1n, tag: tag ?? undefined, budgetIds };
}

/** `undefined` for one that is open. */
function endedOf(row: HoldRow): ReturnType<LedgerState['findEndedHold']> {
  const { [STATUS]: status, [COST]: cost } = row;
  return status === 'open' ? undefined : { status, cost: cost ?? 0n, hold: holdOf(row) };
}
