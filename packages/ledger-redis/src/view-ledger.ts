import type { NanoUsd } from '@searchgate/core/ledger';
import type { Scripts } from './create-scripts.js';
import { parseEntry } from './parse-entry.js';
import { chunksOf } from './parse-records.js';
import { readLog } from './read-log.js';
import type { Replay } from './replay-log.js';
import { HELD, VIEW } from './scripts/audit-scripts.js';
import { ENTRY_FIELDS } from './scripts/log-scripts.js';

export type SubjectKind = 'org' | 'key';

export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/** The book of a subject: held and usage; for an organization then credits, for a key the usage of day, week and month and when each began. */
export interface SubjectBook extends Subject {
  readonly counters: readonly string[];
}

/** What a subject holds by its book, and by its open holds. */
export interface SubjectHeld extends Subject {
  readonly counted: NanoUsd;
  readonly recomputed: NanoUsd;
}

/** How many entries may follow in a view: what others write within a round trip or two. */
const NEW_ENTRIES_AT_ONCE = 1_000;
const MOST_ROUNDS = 1_000;

/**
 * Looks at the books of some subjects of one kind in one script, which also gives the entries written since the replay's last: so the replay is of the
 * very same moment, however long the log is and whoever is writing.
 */
export async function viewBooks(
  scripts: Scripts,
  replay: Replay,
  { kind, ids }: { readonly kind: SubjectKind; readonly ids: readonly string[] },
): Promise<SubjectBook[]> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const reply = await scripts.run(VIEW, [kind, `${replay.seen}`, `${NEW_ENTRIES_AT_ONCE}`, ...ids]);
    const [total, following] = reply.slice(0, 2).map(Number) as [number, number];
    if (following >= 0) {
      const booksFrom = 2 + following * ENTRY_FIELDS;
      for (const fields of chunksOf(reply.slice(2, booksFrom), ENTRY_FIELDS)) replay.add(parseEntry(fields));
      return ids.map((id, index) => ({ kind, id, counters: (reply[booksFrom + index] ?? '').split(' ') }));
    }
    await replayUpTo(scripts, replay, total);
  }
  throw new Error('the log grows faster than it can be read: audit the ledger when less is going on');
}

/** Adds up all open holds at one moment: for everybody who has one, and for the subjects asked about. */
export async function viewHeld(scripts: Scripts, asked: readonly Subject[]) {
  const [open = '0', ...parts] = await scripts.run(
    HELD,
    asked.flatMap(({ kind, id }) => [kind, id]),
  );
  const subjects = chunksOf(parts, 4).map(([kind, id = '', counted = '0', recomputed = '0']): SubjectHeld => {
    return { kind: kind as SubjectKind, id, counted: BigInt(counted), recomputed: BigInt(recomputed) };
  });
  return { openHolds: Number(open), subjects };
}

async function replayUpTo(scripts: Scripts, replay: Replay, total: number): Promise<void> {
  while (replay.seen < total) {
    const { entries } = await readLog(scripts, { cursor: `${replay.seen + 1}`, limit: 1_000 });
    for (const entry of entries) replay.add(entry);
  }
}
