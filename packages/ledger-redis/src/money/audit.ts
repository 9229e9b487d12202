import {
  type AuditEngine,
  type AuditedCounters,
  type AuditedHeld,
  type AuditedSubject,
  type AuditReport,
  auditLedger,
  type LogReplay,
  latestWindows,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { HELD, SUBJECTS, VIEW } from '../scripts/audit-scripts.js';
import { ENTRY_FIELDS } from '../scripts/log-scripts.js';
import { chunksOf, entryOfFields } from './entry-fields.js';
import { readEntries } from './read-entries.js';

/** How many entries may follow in a view: what others write within a round trip or two. */
const NEW_ENTRIES_AT_ONCE = 1_000;
const MOST_ROUNDS = 1_000;

/** Recomputes every counter from the log and the open holds. Each view is one script, so it is of one moment. */
export function audit(scripts: Scripts): Promise<AuditReport> {
  return auditLedger({
    subjects: (subject) => subjectsOf(scripts, subject),
    view: (replay, subject, ids) => viewCounters(scripts, replay, { subject, ids }),
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

/** The script also gives the entries written since the last one the replay has seen; where those are too many, they are read in pages first. */
async function viewCounters(scripts: Scripts, replay: LogReplay, { subject, ids }: Asked): Promise<AuditedCounters[]> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const reply = await scripts.run(VIEW, [subject, `${replay.entries}`, `${NEW_ENTRIES_AT_ONCE}`, ...ids]);
    const [total, following] = reply.slice(0, 2).map(Number) as [number, number];
    if (following >= 0) {
      const booksFrom = 2 + following * ENTRY_FIELDS;
      for (const fields of chunksOf(reply.slice(2, booksFrom), ENTRY_FIELDS)) replay.add(entryOfFields(fields));
      return ids.map((id, index) => countersOf(subject, id, reply[booksFrom + index] ?? ''));
    }
    await replayUpTo(scripts, replay, total);
  }
  throw new Error('the log grows faster than it can be read: audit the ledger when less is going on');
}

async function replayUpTo(scripts: Scripts, replay: LogReplay, total: number): Promise<void> {
  while (replay.entries < total) {
    const { entries } = await readEntries(scripts, { cursor: `${replay.entries + 1}`, limit: 1_000 });
    for (const entry of entries) replay.add(entry);
  }
}

/** @param book the words of ORGANIZATION_BOOK or KEY_BOOK. */
function countersOf(subject: AuditedSubject['subject'], id: string, book: string): AuditedCounters {
  const [held, inFlight, , usage, ...rest] = book.split(' ');
  const counters = { id, held: BigInt(held ?? 0), inFlight: Number(inFlight ?? 0), usage: BigInt(usage ?? 0) };
  if (subject === 'organization') return { ...counters, credits: BigInt(rest[0] ?? 0) };
  const [latestDay, ...before] = rest;
  const [beforeDay = 0n, beforeWeek = 0n, beforeMonth = 0n] = before.slice(0, 3).map(BigInt);
  const { usage: used } = counters;
  const windows = latestWindows({ usage: used, latestDay: Number(latestDay ?? 0), beforeDay, beforeWeek, beforeMonth });
  return { ...counters, windows };
}

async function viewHeld(scripts: Scripts, asked: readonly AuditedSubject[]): ReturnType<AuditEngine['held']> {
  const named = asked.flatMap(({ subject, id }) => [subject, id]);
  const [open = '0', ...parts] = await scripts.run(HELD, named);
  return { openHolds: Number(open), subjects: chunksOf(parts, 6).flatMap(heldOf) };
}

function heldOf([kind, id = '', held = '0', ofHolds = '0', inFlight = '0', places = '0']: string[]): AuditedHeld[] {
  const subject = kind as AuditedSubject['subject'];
  return [
    { subject, id, counter: 'held', counted: BigInt(held), recomputed: BigInt(ofHolds) },
    { subject, id, counter: 'inFlight', counted: BigInt(inFlight), recomputed: BigInt(places) },
  ];
}
