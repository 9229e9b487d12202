import type { Checkpoint, LogReplay, WindowedUsage } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { readSlices } from '../engine/next-turn.js';
import { plain, rowsOf, whole } from '../engine/rows.js';

const ORGANIZATIONS = tableOf<{ credits: bigint; usage: bigint }>('searchgate_organization_checkpoints', {
  credits: plain('credits'),
  usage: plain('usage'),
});
const KEYS = tableOf<WindowedUsage>('searchgate_key_checkpoints', {
  usage: plain('usage'),
  latestDay: whole('latest_day'),
  beforeDay: plain('before_day'),
  beforeWeek: plain('before_week'),
  beforeMonth: plain('before_month'),
});

const FIRST = 'SELECT first_seq AS first FROM searchgate_log WHERE id = 1';

/** The place the log begins with: all before it is in the checkpoint. */
export function firstPlace(connection: Connection): bigint {
  return connection.statement<{ readonly first: bigint }>(FIRST).get()?.first ?? 1n;
}

/** How many rows are read at once, while the event loop waits. */
const SLICE = 500;

/**
 * All of it: as many rows as there are organizations and keys, a slice in each turn of the event loop.
 *
 * @throws Error where entries are removed between two slices.
 */
export async function readCheckpoint({ read }: Pick<Access, 'read'>): Promise<Checkpoint> {
  const cut = String(await read(firstPlace));

  async function all<R extends object>(table: Table<R>): Promise<[id: string, R][]> {
    const records: [id: string, R][] = [];
    const slices = readSlices(SLICE, (last: [id: string, R] | undefined) =>
      read((connection) => {
        checkCut(connection, cut);
        return table.after(connection, last?.[0] ?? '');
      }),
    );
    for await (const slice of slices) records.push(...slice);
    return records;
  }

  return { cut, organizations: await all(ORGANIZATIONS), keys: await all(KEYS) };
}

/** @throws Error where the log does not begin any more where it did. */
export function checkCut(connection: Connection, cut: string): void {
  if (String(firstPlace(connection)) === cut) return;
  throw new Error('entries were removed from the log while it was audited: audit it again');
}

/** The part of it that is about these organizations and keys. */
export function readCheckpointOf(
  connection: Connection,
  ids: { readonly organizations: Iterable<string>; readonly keys: Iterable<string> },
): Checkpoint {
  return {
    cut: String(firstPlace(connection)),
    organizations: ORGANIZATIONS.of(connection, ids.organizations),
    keys: KEYS.of(connection, ids.keys),
  };
}

/** Writes what a replay has come to. */
export function writeCheckpoint(connection: Connection, { organizations, keys }: LogReplay): void {
  ORGANIZATIONS.write(connection, organizations);
  KEYS.write(connection, keys);
}

type Table<R extends object> = ReturnType<typeof tableOf<R>>;

/** A table of records by id. */
function tableOf<R extends object>(table: string, fields: Parameters<typeof rowsOf<R>>[0]) {
  const { columns, marks, valuesOf, recordOf } = rowsOf<R>(fields);
  const read = `SELECT id, ${columns} FROM ${table}`;
  const write = `INSERT OR REPLACE INTO ${table} (id, ${columns}) VALUES (?, ${marks})`;
  const find = (connection: Connection, condition: string, id: string) =>
    connection
      .tuples(`${read} ${condition}`)
      .all(id)
      .map((row): [id: string, R] => [row[0] as string, recordOf(row, 1)]);
  return {
    /** The next slice, in the order of the ids. */
    after: (connection: Connection, id: string) => find(connection, `WHERE id > ? ORDER BY id LIMIT ${SLICE}`, id),
    of: (connection: Connection, ids: Iterable<string>) =>
      [...ids].flatMap((id) => find(connection, 'WHERE id = ?', id)),
    write(connection: Connection, records: ReadonlyMap<string, R>): void {
      for (const [id, record] of records) connection.statement(write).run(id, ...valuesOf(record));
    },
  };
}
