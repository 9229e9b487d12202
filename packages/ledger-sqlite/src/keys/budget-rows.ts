import type { ApiKeyRecord, Budget, UnknownBudget } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { type Fields, plain, rowsOf, whole } from '../engine/rows.js';
import { tableOf } from './key-rows.js';

const TABLE = 'searchgate_budgets';
const FIELDS: Fields<Budget> = {
  organizationId: plain('organization_id'),
  id: plain('id'),
  limit: plain('spend_limit'),
  limitReset: plain('limit_reset'),
  mode: plain('mode'),
  createdAtMs: whole('created_at_ms'),
};
const { columns, marks, valuesOf, recordOf } = rowsOf(FIELDS);
const WHICH = 'WHERE organization_id = ? AND id = ?';
const FIND = `SELECT ${columns} FROM ${TABLE} ${WHICH}`;
const SET = `INSERT INTO ${TABLE} (${columns}) VALUES (${marks}) ON CONFLICT (organization_id, id) DO UPDATE
  SET (spend_limit, limit_reset, mode) = (excluded.spend_limit, excluded.limit_reset, excluded.mode)`;
const DELETE = `DELETE FROM ${TABLE} ${WHICH}`;
/** Looks through the keys of the organization that name budgets and are not revoked: budgets are rarely deleted. */
const NAMED_BY = `SELECT id FROM searchgate_api_keys INDEXED BY searchgate_api_keys_with_budgets
  WHERE organization_id = ? AND budgets IS NOT NULL AND revoked_at_ms IS NULL AND instr(' ' || budgets || ' ', ?) > 0
  ORDER BY id LIMIT 10`;

/** The budgets of organizations that are set. */
export const BUDGETS = {
  find(connection: Connection, organizationId: string, id: string): Budget | undefined {
    const row = connection.tuples(FIND).get(organizationId, id);
    return row && recordOf(row);
  },
  set(connection: Connection, budget: Budget): Budget {
    connection.statement(SET).run(...valuesOf(budget));
    return BUDGETS.find(connection, budget.organizationId, budget.id) ?? budget;
  },
  list: tableOf(TABLE, FIELDS).list,
  /** @returns whether it was set; without a change some of the keys that name it. */
  delete(connection: Connection, organizationId: string, id: string): boolean | readonly string[] {
    const keys = connection.tuples<readonly [string]>(NAMED_BY).all(organizationId, ` ${id} `);
    if (keys.length > 0) return keys.map(([key]) => key);
    return connection.statement(DELETE).run(organizationId, id) > 0;
  },
};

/** The budgets that a key names. */
export function budgetsOf(connection: Connection, { organizationId, budgets = [] }: ApiKeyRecord): Budget[] {
  return budgets.flatMap((id) => BUDGETS.find(connection, organizationId, id) ?? []);
}

/** @returns `undefined` where all budgets of a key are set. */
export function unknownBudget(connection: Connection, key: ApiKeyRecord): UnknownBudget | undefined {
  const unknown = key.budgets?.find((id) => BUDGETS.find(connection, key.organizationId, id) === undefined);
  return unknown === undefined ? undefined : { unknownBudget: unknown };
}
