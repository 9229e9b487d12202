import {
  type AuditEngine,
  type AuditedCounters,
  type AuditedSubject,
  type AuditReport,
  auditLedger,
  budgetName,
  type Holding,
  type LogReplay,
  latestWindows,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { nextTurn, readSlices } from '../engine/next-turn.js';
import { usageBySums } from '../usage/total-usage.js';
import { checkCut, readCheckpoint } from './checkpoint-rows.js';
import { BUDGET_COUNTERS, KEY_COUNTERS, ORGANIZATION_COUNTERS } from './counter-rows.js';
import { readReplayedWhere } from './entry-rows.js';

/** How many rows are read at once, while the event loop waits. */
const SLICE = 500;

const readBehind = readReplayedWhere(`seq > ? ORDER BY seq LIMIT ${SLICE}`);
const READ_OPEN_HOLDS = `SELECT organization_id, key_id, amount, uses_slot, budgets FROM searchgate_holds
  INDEXED BY searchgate_open_holds_by_expiry WHERE ended_at_ms IS NULL`;
const COUNTERS = { organization: ORGANIZATION_COUNTERS, key: KEY_COUNTERS, budget: BUDGET_COUNTERS } as const;

interface OpenHoldRow {
  readonly organization_id: string;
  readonly key_id: string;
  readonly amount: bigint;
  readonly uses_slot: bigint;
  readonly budgets: string | null;
}

/** Recomputes every counter from the log, a slice of rows in each turn of the event loop. */
export function audit({ read, clock }: Access): Promise<AuditReport> {
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
    now: () => clock.now(),
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
  return COUNTERS[subject].after(connection, after, SLICE).map(([id]) => id);
}

function auditedOf(connection: Connection, subject: AuditedSubject): AuditedCounters {
  const counters = countersOf(connection, subject);
  if (subject.subject === 'budget') return counters;
  return { ...counters, sums: usageBySums(connection, subject, counters.usage) };
}

function countersOf(connection: Connection, { subject, id }: AuditedSubject): AuditedCounters {
  if (subject === 'organization') {
    return { id, ...(ORGANIZATION_COUNTERS.read(connection, id) ?? ORGANIZATION_COUNTERS.zero) };
  }
  if (subject === 'budget') {
    const budget = BUDGET_COUNTERS.read(connection, id);
    const { held, usage, ...days } = budget ?? BUDGET_COUNTERS.zero;
    return { id, held, inFlight: 0, usage, windows: latestWindows({ usage, ...days }), isKept: budget?.isKept };
  }
  const key = KEY_COUNTERS.read(connection, id) ?? KEY_COUNTERS.zero;
  const { held, inFlight, usage } = key;
  return { id, held, inFlight, usage, windows: latestWindows(key) };
}

function addUpHeld(connection: Connection, asked: readonly AuditedSubject[]) {
  const holds = connection.statement<OpenHoldRow>(READ_OPEN_HOLDS).all();
  const newSums = () => new Map<string, Holding>();
  const sums = { organization: newSums(), key: newSums(), budget: newSums() };
  const add = ({ subject, id }: AuditedSubject, amount: bigint, slots: number) => {
    const { held, inFlight } = sums[subject].get(id) ?? { held: 0n, inFlight: 0 };
    sums[subject].set(id, { held: held + amount, inFlight: inFlight + slots });
  };
  for (const { organization_id: organizationId, key_id: keyId, amount, uses_slot: slots, budgets } of holds) {
    add({ subject: 'organization', id: organizationId }, amount, Number(slots));
    add({ subject: 'key', id: keyId }, amount, Number(slots));
    for (const id of budgets?.split(' ') ?? [])
      add({ subject: 'budget', id: budgetName(organizationId, id) }, amount, 0);
  }
  for (const subject of asked) add(subject, 0n, 0);
  const subjects = (['organization', 'key', 'budget'] as const).flatMap((subject) =>
    [...sums[subject]].map(([id, recomputed]) => {
      return { subject, id, counted: countersOf(connection, { subject, id }), recomputed };
    }),
  );
  return { openHolds: holds.length, subjects };
}
