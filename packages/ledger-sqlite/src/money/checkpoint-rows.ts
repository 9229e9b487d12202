import type { Checkpoint, LogReplay, ReplayedBudget, WindowedUsage } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { readSlices } from '../engine/next-turn.js';
import { plain, type RecordsById, recordsById } from '../engine/rows.js';
import { BUDGET_ID, WINDOWED_USAGE } from './counter-rows.js';

const ORGANIZATIONS = recordsById<{ credits: bigint; usage: bigint }>('searchgate_organization_checkpoints', {
  credits: plain('credits'),
  usage: plain('usage'),
});
const KEYS = recordsById<WindowedUsage>('searchgate_key_checkpoints', WINDOWED_USAGE);
const BUDGETS = recordsById<ReplayedBudget>(
  'searchgate_budget_checkpoints',
  { ...WINDOWED_USAGE, beforeIdle: plain('before_idle') },
  BUDGET_ID,
);

const FIRST = 'SELECT first_seq AS first FROM searchgate_log WHERE id = 1';

/** The place the log begins with: all before it is in the checkpoint. */
export function firstPlace(connection: Connection): bigint {
  return connection.statement<{ readonly first: bigint }>(FIRST).get()?.first ?? 1n;
}

/** How many rows are read at once, while the event loop waits. */
const SLICE = 500;

/**
 * All of it: as many rows as there are organizations, keys and budgets, a slice in each turn of the event loop.
 *
 * @throws Error where entries are removed between two slices.
 */
export async function readCheckpoint({ read }: Pick<Access, 'read'>): Promise<Checkpoint> {
  const cut = String(await read(firstPlace));

  async function all<R extends object>(table: RecordsById<R>): Promise<[id: string, R][]> {
    const records: [id: string, R][] = [];
    const slices = readSlices(SLICE, (last: [id: string, R] | undefined) =>
      read((connection) => {
        checkCut(connection, cut);
        return table.after(connection, last?.[0] ?? '', SLICE);
      }),
    );
    for await (const slice of slices) records.push(...slice);
    return records;
  }

  return { cut, organizations: await all(ORGANIZATIONS), keys: await all(KEYS), budgets: await all(BUDGETS) };
}

/** @throws Error where the log does not begin any more where it did. */
export function checkCut(connection: Connection, cut: string): void {
  if (String(firstPlace(connection)) === cut) return;
  throw new Error('entries were removed from the log while it was audited: audit it again');
}

/** The part of it that is about these organizations, keys and budgets. */
export function readCheckpointOf(
  connection: Connection,
  ids: Readonly<Record<'organizations' | 'keys' | 'budgets', Iterable<string>>>,
): Checkpoint {
  return {
    cut: String(firstPlace(connection)),
    organizations: recordsOf(connection, ORGANIZATIONS, ids.organizations),
    keys: recordsOf(connection, KEYS, ids.keys),
    budgets: recordsOf(connection, BUDGETS, ids.budgets),
  };
}

function recordsOf<R>(connection: Connection, table: RecordsById<R>, ids: Iterable<string>): [id: string, R][] {
  return [...ids].flatMap((id) => {
    const record = table.read(connection, id);
    return record === undefined ? [] : [[id, record]];
  });
}

/** Writes what a replay has come to. */
export function writeCheckpoint(connection: Connection, { organizations, keys, budgets }: LogReplay): void {
  for (const [id, totals] of organizations) ORGANIZATIONS.write(connection, id, totals);
  for (const [id, usage] of keys) KEYS.write(connection, id, usage);
  for (const [name, usage] of budgets) BUDGETS.write(connection, name, usage);
}
