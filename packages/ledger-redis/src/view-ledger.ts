import type { NanoUsd } from '@searchgate/core';
import type { Scripts } from './create-scripts.js';
import { parseEntry } from './parse-entry.js';
import { chunksOf } from './parse-records.js';
import { readLog } from './read-log.js';
import type { Replay } from './replay-log.js';
import { VIEW } from './scripts/audit-scripts.js';
import { ENTRY_FIELDS } from './scripts/log-scripts.js';

export type SubjectKind = 'org' | 'key';

/** Some subjects at one moment, to which the replay has been brought as well. */
export interface LedgerView {
  readonly openHolds: number;
  readonly subjects: readonly SubjectView[];
}

export interface SubjectView {
  readonly id: string;
  /** Held, usage, credits; then for day, week and month the usage and when the window began. */
  readonly counters: readonly string[];
  /** The sum of its open holds. */
  readonly held: NanoUsd;
}

/** How many entries may follow in a view: what others write within a round trip or two. */
const NEW_ENTRIES_AT_ONCE = 1_000;
const COUNTERS = 9;
const MOST_ROUNDS = 1_000;

/**
 * Looks at the counters and open holds of some subjects in one script, which also gives the entries written since the replay's last: so the replay is
 * of the very same moment, however long the log is and whoever is writing.
 */
export async function viewLedger(
  scripts: Scripts,
  replay: Replay,
  { kind, ids }: { readonly kind: SubjectKind; readonly ids: readonly string[] },
): Promise<LedgerView> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const reply = await scripts.run(VIEW, [kind, `${replay.seen}`, `${NEW_ENTRIES_AT_ONCE}`, ...ids]);
    const [total, following, open] = reply.slice(0, 3).map(Number) as [number, number, number];
    if (following >= 0) return readView(replay, { ids, following, open, parts: reply.slice(3) });
    await replayUpTo(scripts, replay, total);
  }
  throw new Error('the log grows faster than it can be read: audit the ledger when less is going on');
}

interface ViewReply {
  readonly ids: readonly string[];
  readonly following: number;
  readonly open: number;
  readonly parts: readonly string[];
}

function readView(replay: Replay, { ids, following, open, parts }: ViewReply): LedgerView {
  const countersFrom = following * ENTRY_FIELDS;
  const holdsFrom = countersFrom + ids.length * COUNTERS;
  for (const fields of chunksOf(parts.slice(0, countersFrom), ENTRY_FIELDS)) replay.add(parseEntry(fields));
  const held = new Map<string, NanoUsd>();
  for (const [id = '', amount = '0'] of chunksOf(parts.slice(holdsFrom), 2)) {
    held.set(id, (held.get(id) ?? 0n) + BigInt(amount));
  }
  const counters = chunksOf(parts.slice(countersFrom, holdsFrom), COUNTERS);
  const subjects = ids.map((id, index) => ({ id, counters: counters[index] ?? [], held: held.get(id) ?? 0n }));
  return { openHolds: open, subjects };
}

async function replayUpTo(scripts: Scripts, replay: Replay, total: number): Promise<void> {
  while (replay.seen < total) {
    const { entries } = await readLog(scripts, { cursor: `${replay.seen + 1}`, limit: 1_000 });
    for (const entry of entries) replay.add(entry);
  }
}
