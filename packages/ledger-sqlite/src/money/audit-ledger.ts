import type { AuditDifference, AuditReport, LimitReset, NanoUsd } from '@searchgate/core';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';
import { createReplay, type Replay, type ReplayedRow } from './replay.js';
import {
  type KeyRow,
  keyBookOf,
  type OrganizationRow,
  READ_KEYS,
  READ_ORGANIZATIONS,
  totalsOf,
} from './stored-totals.js';
import { type KeyBook, NO_KEY_BOOK, NO_TOTALS } from './totals.js';

/** How many entries are read in one go, while the event loop waits. */
const SLICE = 500;

const READ_SLICE = `SELECT seq, kind, organization_id, key_id, amount, at_ms FROM searchgate_entries
  WHERE seq > ? ORDER BY seq LIMIT ${SLICE}`;
const READ_OPEN_HOLDS = 'SELECT organization_id, key_id, amount FROM searchgate_holds WHERE ended_at_ms IS NULL';

interface OpenHoldRow {
  readonly organization_id: string;
  readonly key_id: string;
  readonly amount: bigint;
}

/**
 * Replays the log and compares. The log only grows, so what was read of it in earlier turns is the same in every view of the database; the end
 * of it, the open holds and the counters are read in one view.
 */
export async function auditLedger({ read }: Access): Promise<AuditReport> {
  const replay = createReplay();
  while ((await read((connection) => replaySlice(connection, replay))) === SLICE) await nextTurn();
  return read((connection) => {
    while (replaySlice(connection, replay) === SLICE);
    const holds = connection.statement<OpenHoldRow>(READ_OPEN_HOLDS).all();
    for (const hold of holds) replay.addHold(hold);
    return reportOf(connection, replay, holds.length);
  });
}

/** @returns how many entries there were to replay. */
function replaySlice(connection: Connection, replay: Replay): number {
  const rows = connection.statement<ReplayedRow>(READ_SLICE).all(replay.progress.lastSeq);
  for (const row of rows) replay.addEntry(row);
  return rows.length;
}

function reportOf(connection: Connection, { organizations, keys, progress }: Replay, openHolds: number): AuditReport {
  const countedOrganizations = new Map(
    connection
      .statement<OrganizationRow>(READ_ORGANIZATIONS)
      .all()
      .map((row) => [row.id, totalsOf(row)]),
  );
  const countedKeys = new Map(
    connection
      .statement<KeyRow>(READ_KEYS)
      .all()
      .map((row) => [row.id, keyBookOf(row)]),
  );
  const organizationIds = idsOf(countedOrganizations, organizations);
  const keyIds = idsOf(countedKeys, keys);
  const differences = [
    ...organizationIds.flatMap((id) => {
      const pair = [countedOrganizations.get(id) ?? NO_TOTALS, organizations.get(id) ?? NO_TOTALS] as const;
      return (['credits', 'usage', 'held'] as const).flatMap((counter) =>
        difference({ subject: 'organization', id, counter }, pair[0][counter], pair[1][counter]),
      );
    }),
    ...keyIds.flatMap((id) => differencesOfKey(id, countedKeys.get(id) ?? NO_KEY_BOOK, keys.get(id) ?? NO_KEY_BOOK)),
  ];
  return {
    organizations: organizationIds.length,
    keys: keyIds.length,
    entries: progress.entries,
    openHolds,
    differences,
  };
}

const WINDOWS = [
  ['day', 'daily'],
  ['week', 'weekly'],
  ['month', 'monthly'],
] as const satisfies readonly (readonly [AuditDifference['counter'], LimitReset])[];

function differencesOfKey(id: string, counted: KeyBook, recomputed: KeyBook): AuditDifference[] {
  return [
    ...difference({ subject: 'key', id, counter: 'usage' }, counted.usage, recomputed.usage),
    ...difference({ subject: 'key', id, counter: 'held' }, counted.held, recomputed.held),
    ...WINDOWS.flatMap(([counter, reset]) => {
      const [one, other] = [counted.windows[reset], recomputed.windows[reset]];
      // Where one of them knows a later window, the other has used nothing in it.
      const latest = Math.max(one.startsAtMs, other.startsAtMs);
      const [usage, expected] = [one, other].map((window) => (window.startsAtMs === latest ? window.usage : 0n));
      return difference({ subject: 'key', id, counter }, usage ?? 0n, expected ?? 0n);
    }),
  ];
}

type Counter = Pick<AuditDifference, 'subject' | 'id' | 'counter'>;

/** None or one. */
function difference(counter: Counter, counted: NanoUsd, recomputed: NanoUsd): AuditDifference[] {
  return counted === recomputed ? [] : [{ ...counter, counted, recomputed }];
}

function idsOf(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])];
}
