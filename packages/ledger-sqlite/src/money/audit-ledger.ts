import type { AuditReport } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';
import { type AuditedBooks, type Counted, differencesOfHeld, keyBooks, organizationBooks } from './audited-books.js';
import { createReplay, type Replay, type ReplayedRow } from './replay.js';

/** How many rows are read in one go, while the event loop waits. */
const SLICE = 500;
const IDS_AT_ONCE = 10_000;

const READ_SLICE = `SELECT seq, kind, organization_id, key_id, amount, at_ms FROM searchgate_entries
  WHERE seq > ? ORDER BY seq LIMIT ${SLICE}`;
const READ_OPEN_HOLDS = `SELECT organization_id, key_id, amount FROM searchgate_holds
  INDEXED BY searchgate_open_holds_by_expiry WHERE ended_at_ms IS NULL`;

interface OpenHoldRow {
  readonly organization_id: string;
  readonly key_id: string;
  readonly amount: bigint;
}

/** Reads in one view of the database, the whole log of which has been replayed, in a turn of its own. */
type View = <T>(work: (connection: Connection) => T) => Promise<T>;

/**
 * Replays the log and compares, a slice in each turn of the event loop. The log only grows, so what was read of it in earlier turns is the same in
 * every view of the database. Counters are compared in the view they are read in, once the log is replayed to its end there; what is held is
 * compared last, in one view of all open holds.
 */
export async function auditLedger({ read }: Access): Promise<AuditReport> {
  const replay = createReplay();
  while ((await read((connection) => replaySlice(connection, replay))) === SLICE) await nextTurn();
  const view: View = async (work) => {
    await nextTurn();
    return read((connection) => {
      while (replaySlice(connection, replay) === SLICE);
      return work(connection);
    });
  };
  const organizations = await auditBooks(view, organizationBooks(replay));
  const keys = await auditBooks(view, keyBooks(replay));
  const { openHolds, differences } = await view((connection) => auditHeld(connection, organizations, keys));
  return {
    organizations: organizations.ids.size,
    keys: keys.ids.size,
    entries: replay.progress.entries,
    openHolds,
    differences: [...organizations.differences, ...keys.differences, ...differences],
  };
}

/** @returns how many entries there were to replay. */
function replaySlice(connection: Connection, replay: Replay): number {
  const rows = connection.statement<ReplayedRow>(READ_SLICE).all(replay.progress.lastSeq);
  for (const row of rows) replay.addEntry(row);
  return rows.length;
}

/** What was found about all organizations, or all keys. */
interface Audited extends Pick<AuditReport, 'differences'> {
  readonly books: AuditedBooks;
  readonly ids: ReadonlySet<string>;
  /** Whose counter says that something is held. */
  readonly holding: ReadonlySet<string>;
}

/** Compares the counters there are, in the order of their ids, then those that only the log knows of. */
async function auditBooks(view: View, books: AuditedBooks): Promise<Audited> {
  const ids = new Set<string>();
  const holding = new Set<string>();
  const differences: AuditReport['differences'][number][] = [];

  function compare({ id, held, differences: found }: Counted): void {
    ids.add(id);
    if (held !== 0n) holding.add(id);
    differences.push(...found);
  }

  let slice: readonly Counted[];
  let lastId = '';
  do {
    slice = await view((connection) => books.countedAfter(connection, lastId, SLICE));
    for (const counted of slice) compare(counted);
    lastId = slice.at(-1)?.id ?? lastId;
  } while (slice.length === SLICE);
  let looked = 0;
  for (const id of books.recomputedIds()) {
    // None, unless counters are missing or have come since.
    if (!ids.has(id)) compare(await view((connection) => books.counted(connection, id)));
    looked += 1;
    if (looked % IDS_AT_ONCE === 0) await nextTurn();
  }
  return { books, ids, holding, differences };
}

function auditHeld(connection: Connection, organizations: Audited, keys: Audited) {
  const holds = connection.statement<OpenHoldRow>(READ_OPEN_HOLDS).all();
  const differences = [
    ...auditHeldOf(connection, organizations, sumUp(holds, 'organization_id')),
    ...auditHeldOf(connection, keys, sumUp(holds, 'key_id')),
  ];
  return { openHolds: holds.length, differences };
}

function auditHeldOf(connection: Connection, { books, holding }: Audited, recomputed: ReadonlyMap<string, bigint>) {
  const ids = new Set([...holding, ...recomputed.keys()]);
  return [...ids].flatMap((id) =>
    differencesOfHeld(books.subject, books.counted(connection, id), recomputed.get(id) ?? 0n),
  );
}

function sumUp(holds: readonly OpenHoldRow[], owner: 'organization_id' | 'key_id'): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const hold of holds) sums.set(hold[owner], (sums.get(hold[owner]) ?? 0n) + hold.amount);
  return sums;
}
