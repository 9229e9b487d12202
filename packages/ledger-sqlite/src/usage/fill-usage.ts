import { LedgerError } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { type EntryRow, entryOfRow, READ_ENTRIES } from '../money/entry-rows.js';
import type { SqliteState } from '../money/sqlite-state.js';

/** How many entries are added in one transaction, for which others wait. */
const SLICE = 500;

const UNSUMMED = 'SELECT unsummed_from AS first, unsummed_to AS behind FROM searchgate_log WHERE id = 1';
const READ_SLICE = `${READ_ENTRIES} WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ${SLICE}`;
const NOTE_SUMMED = 'UPDATE searchgate_log SET unsummed_from = ? WHERE id = 1';

/** Places of the log: the first, and the one behind the last. None where they are equal. */
interface Unsummed {
  readonly first: bigint;
  readonly behind: bigint;
}

/** Adds a slice of the entries that were written before there were sums. @returns whether there are more. */
export function fillUsage(state: SqliteState): boolean {
  const { connection } = state;
  const { first, behind } = unsummed(connection);
  const rows = connection.statement<EntryRow>(READ_SLICE).all(first, behind);
  for (const row of rows) state.addUsage(entryOfRow(row));
  const last = rows.length === SLICE ? rows.at(-1) : undefined;
  const next = last === undefined ? behind : last.seq + 1n;
  connection.statement(NOTE_SUMMED).run(next);
  return next < behind;
}

/** @throws LedgerError `schema_mismatch` while sums are missing. */
export function checkFilled(connection: Connection): void {
  const { first, behind } = unsummed(connection);
  if (first >= behind) return;
  throw new LedgerError(
    'schema_mismatch',
    `the sums of usage lack ${behind - first} of the entries before the migration: wait for migrate(), or run it again`,
  );
}

function unsummed(connection: Connection): Unsummed {
  return connection.statement<Unsummed>(UNSUMMED).get() ?? { first: 0n, behind: 0n };
}
