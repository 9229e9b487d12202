import {
  type AuditEngine,
  type AuditedCounters,
  type AuditedSubject,
  type AuditReport,
  auditLedger,
  type Holding,
  type LogReplay,
  latestWindows,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { nextTurn, readSlices } from '../engine/next-turn.js';
import { usageBySums } from '../usage/total-usage.js';
import { checkCut, readCheckpoint } from './checkpoint-rows.js';
import { KEY_COUNTERS, ORGANIZATION_COUNTERS } from './counter-rows.js';
import { readReplayedWhere } from './entry-rows.js';

/** How many rows are read at once, while the event loop waits. */
const SLICE = 500;

const readBehind = readReplayedWhere(`seq > ? ORDER BY seq LIMIT ${SLICE}`);
const READ_OPEN_HOLDS = `SELECT organization_id, key_id, amount, uses_slot FROM searchgate_holds
  INDEXED BY searchgate_open_holds_by_expiry WHERE ended_at_ms IS NULL`;
const IDS_AFTER = `WHERE id > ? ORDER BY id LIMIT ${SLICE}`;
const READ_IDS = {
  organization: `SELECT id FROM searchgate_organization_totals ${IDS_AFTER}`,
  key: `SELECT id FROM searchgate_key_totals ${IDS_AFTER}`,
} as const;

interface OpenHoldRow {
  readonly organization_id: string;
  readonly key_id: string;
  readonly amount: bigint;
  readonly uses_slot: bigint;
}

/** Recomputes every counter from the log, a slice of rows in each turn of the event loop. */
export function audit({ read }: Access): Promise<AuditReport> {
  let lastSeq = 0n;

  /** @returns whether there may be more. */
  function replaySlice(connection: Connection, replay: LogReplay): boolean {
    checkCut(connection, replay.cut);
    const rows = readBehind(connection, lastSeq);
    for (const { entry } of rows) replay.add(entry);
    lastSeq = rows.at(-1)?.seq ?? lastSeq;
    return rows.length === SLICE;
  }

  const engine: AuditEngine = {
    async checkpoint() {
      const checkpoint = await readCheckpoint({ read });
      lastSeq = BigInt(checkpoint.cut) - 1n;
      return checkpoint;
    },
    subjects: (subject) => readSlices(SLICE, (last) => read((connection) => readIds(connection, subject, last ?? ''))),
    async view(replay, subject, ids) {
      // The log only grows behind its cut, so what was read of it in earlier turns is the same in every view of the database.
      while (await read((connection) => replaySlice(connection, replay))) await nextTurn();
      await nextTurn();
      return read((connection) => {
        while (replaySlice(connection, replay));
        return ids.map((id) => auditedOf(connection, { subject, id }));
      });
    },
    held: (asked) => read((connection) => addUpHeld(connection, asked)),
  };
  return auditLedger(engine);
}

function readIds(connection: Connection, subject: AuditedSubject['subject'], after: string): string[] {
  const rows = connection.statement<{ readonly id: string }>(READ_IDS[subject]).all(after);
  return rows.map(({ id }) => id);
}

function auditedOf(connection: Connection, subject: AuditedSubject): AuditedCounters {
  const counters = countersOf(connection, subject);
  return { ...counters, sums: usageBySums(connection, subject, counters.usage) };
}

function countersOf(connection: Connection, { subject, id }: AuditedSubject): Omit<AuditedCounters, 'sums'> {
  if (subject === 'organization') return { id, ...ORGANIZATION_COUNTERS.read(connection, id) };
  const key = KEY_COUNTERS.read(connection, id);
  const { held, inFlight, usage } = key;
  return { id, held, inFlight, usage, windows: latestWindows(key) };
}

function addUpHeld(connection: Connection, asked: readonly AuditedSubject[]) {
  const holds = connection.statement<OpenHoldRow>(READ_OPEN_HOLDS).all();
  const sums = { organization: new Map<string, Holding>(), key: new Map<string, Holding>() };
  const add = ({ subject, id }: AuditedSubject, amount: bigint, slots: number) => {
    const { held, inFlight } = sums[subject].get(id) ?? { held: 0n, inFlight: 0 };
    sums[subject].set(id, { held: held + amount, inFlight: inFlight + slots });
  };
  for (const { organization_id: organizationId, key_id: keyId, amount, uses_slot: slots } of holds) {
    add({ subject: 'organization', id: organizationId }, amount, Number(slots));
    add({ subject: 'key', id: keyId }, amount, Number(slots));
  }
  for (const subject of asked) add(subject, 0n, 0);
  const subjects = (['organization', 'key'] as const).flatMap((subject) =>
    [...sums[subject]].map(([id, recomputed]) => {
      return { subject, id, counted: countersOf(connection, { subject, id }), recomputed };
    }),
  );
  return { openHolds: holds.length, subjects };
}
