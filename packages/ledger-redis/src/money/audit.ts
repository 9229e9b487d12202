import {
  type AuditEngine,
  type AuditedCounters,
  type AuditedHeld,
  type AuditedSubject,
  type AuditReport,
  auditLedger,
  type LogReplay,
  latestWindows,
  slicesOf,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { HELD, SUBJECTS, SUMS_OF, VIEW } from '../scripts/audit-scripts.js';
import { ENTRY_FIELDS } from '../scripts/log-scripts.js';
import { entryOfFields } from './entry-fields.js';
import { readEntries } from './read-entries.js';
import { logWasCut, readCheckpoint, windowedUsageOf } from './remove-entries.js';
import { addTo, createTotals, rowsOf, sumsOf } from './sum-rows.js';

/** How many entries may follow in a view: what others write within a round trip or two. */
const NEW_ENTRIES_AT_ONCE = 1_000;
const MOST_ROUNDS = 1_000;

/** How many subjects have their sums read at once. */
const SUBJECTS_AT_ONCE = 50;

/** Recomputes every counter from the log and the open holds. Each view is one script, so it is of one moment. */
export function audit(scripts: Scripts): Promise<AuditReport> {
  let nowMs = 0;
  return auditLedger({
    now: () => nowMs,
    checkpoint: () => readCheckpoint(scripts),
    subjects: (subject) => subjectsOf(scripts, subject),
    view: async (replay, subject, ids) => {
      const { counters, atMs } = await viewCounters(scripts, replay, { subject, ids });
      nowMs = atMs;
      return subject === 'budget' ? counters : inChunks(counters, (each) => withSums(scripts, subject, each));
    },
    held: (asked) => viewHeld(scripts, asked),
  });
}

async function* subjectsOf(scripts: Scripts, subject: AuditedSubject['subject']): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next = '0', ...ids] = await scripts.run(SUBJECTS[subject], [cursor]);
    yield ids;
    cursor = next;
  } while (cursor !== '0');
}

interface Asked {
  readonly subject: AuditedSubject['subject'];
  readonly ids: readonly string[];
}

type BookCounters = Omit<AuditedCounters, 'sums'>;

/** The script also gives the entries written since the last one the replay has seen; where those are too many, they are read in pages first. */
async function viewCounters(
  scripts: Scripts,
  replay: LogReplay,
  { subject, ids }: Asked,
): Promise<{ readonly counters: BookCounters[]; readonly atMs: number }> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const values = [subject, replay.cut, `${lastSeen(replay)}`, `${NEW_ENTRIES_AT_ONCE}`];
    const reply = await scripts.run(VIEW, [...values, ...ids]);
    if (reply[0] === 'cut') throw logWasCut();
    const [last, following, atMs] = reply.slice(0, 3).map(Number) as [number, number, number];
    if (following >= 0) {
      const booksFrom = 3 + following * ENTRY_FIELDS;
      for (const fields of slicesOf(reply.slice(3, booksFrom), ENTRY_FIELDS)) replay.add(entryOfFields(fields));
      return { counters: ids.map((id, index) => countersOf(subject, id, reply[booksFrom + index] ?? '')), atMs };
    }
    await replayUpTo(scripts, replay, last);
  }
  throw new Error('the log grows faster than it can be read: audit the ledger when less is going on');
}

/** The number of the last entry the replay knows. Behind the cut no entry is missing. */
function lastSeen({ cut, entries }: LogReplay): number {
  return Number(cut) + entries;
}

/** Where the log is cut at the same time, fewer entries are left: the next view finds that out. */
async function replayUpTo(scripts: Scripts, replay: LogReplay, last: number): Promise<void> {
  for (let left = true; left && lastSeen(replay) < last; ) {
    const { entries } = await readEntries(scripts, { cursor: `${lastSeen(replay) + 1}`, limit: 1_000 });
    for (const entry of entries) replay.add(entry);
    left = entries.length > 0;
  }
}

/** @param book the words of ORGANIZATION_BOOK or KEY_BOOK. */
function countersOf(subject: AuditedSubject['subject'], id: string, book: string): BookCounters {
  const [held, inFlight, , usage, ...rest] = book.split(' ');
  const counters = { id, held: BigInt(held ?? 0), inFlight: Number(inFlight ?? 0), usage: BigInt(usage ?? 0) };
  if (subject === 'organization') return { ...counters, credits: BigInt(rest[0] ?? 0) };
  const windows = latestWindows(windowedUsageOf([usage ?? '0', ...rest.slice(0, 4)].join(' ')));
  if (subject === 'key') return { ...counters, windows };
  return { ...counters, windows, inFlight: 0, isKept: book === '' ? undefined : inFlight === '1' };
}

/**
 * The sums of each subject are read in a script of its own, with the usage of that moment. How much they differ from it is what they differ from the usage of the
 * view.
 */
async function withSums(
  scripts: Scripts,
  subject: AuditedSubject['subject'],
  counters: BookCounters,
): Promise<AuditedCounters> {
  const [usage = '0', , ...parts] = await scripts.run(SUMS_OF, [subject, counters.id]);
  const total = createTotals();
  for (const [, rows = ''] of slicesOf(parts, 2)) for (const { sums } of rowsOf(rows)) addTo(total, sums);
  const { charged, adjusted } = sumsOf(total);
  return { ...counters, sums: counters.usage + charged + adjusted - BigInt(usage) };
}

async function inChunks<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const some of slicesOf(items, SUBJECTS_AT_ONCE)) results.push(...(await Promise.all(some.map(work))));
  return results;
}

async function viewHeld(scripts: Scripts, asked: readonly AuditedSubject[]): ReturnType<AuditEngine['held']> {
  const named = asked.flatMap(({ subject, id }) => [subject, id]);
  const [open = '0', ...parts] = await scripts.run(HELD, named);
  return { openHolds: Number(open), subjects: slicesOf(parts, 6).map(heldOf) };
}

function heldOf([kind, id = '', held = '0', ofHolds = '0', inFlight, slots]: string[]): AuditedHeld {
  return {
    subject: kind as AuditedSubject['subject'],
    id,
    counted: { held: BigInt(held), inFlight: Number(inFlight) },
    recomputed: { held: BigInt(ofHolds), inFlight: Number(slots) },
  };
}
