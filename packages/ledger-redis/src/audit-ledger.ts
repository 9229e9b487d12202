import type { AuditDifference, AuditReport } from '@searchgate/core/ledger';
import type { Scripts } from './create-scripts.js';
import { chunksOf } from './parse-records.js';
import { createReplay, noUsage, type Replay } from './replay-log.js';
import { SUBJECTS } from './scripts/audit-scripts.js';
import {
  type Subject,
  type SubjectBook,
  type SubjectHeld,
  type SubjectKind,
  viewBooks,
  viewHeld,
} from './view-ledger.js';

/** How many books one script reads: a millisecond or two. */
const BOOKS_AT_ONCE = 250;

/**
 * Recomputes every counter from the log and the open holds. The log is read in pages beside everybody's work; then the books are read some at a time,
 * each time in one script together with the entries written meanwhile. So every counter of theirs is compared with exactly what it
 * has to be at that moment.
 *
 * What is held is not in the log. The open holds are read once, in one script with the books of everybody who has one. Who holds something in the
 * books read later has begun to meanwhile, or the book is wrong: all of those are looked at together, once more.
 */
export async function auditLedger(scripts: Scripts): Promise<AuditReport> {
  const replay = createReplay();
  // Brings the replay up to date, so that what it has seen is known before the first comparison.
  await viewBooks(scripts, replay, { kind: 'org', ids: [] });
  const organizationIds = await subjectsOf(scripts, 'org', replay.organizations);
  const keyIds = await subjectsOf(scripts, 'key', replay.keys);
  const { openHolds, subjects } = await viewHeld(scripts, []);
  const audited: Audited = { scripts, replay, seen: new Set(subjects.map(nameOf)), suspects: [] };
  const differences = [
    ...subjects.flatMap(compareHeld),
    ...(await compareBooks(audited, 'org', organizationIds)),
    ...(await compareBooks(audited, 'key', keyIds)),
    ...(await compareSuspects(audited)),
  ];
  const counts = { organizations: organizationIds.length, keys: keyIds.length, entries: replay.seen, openHolds };
  return { ...counts, differences };
}

interface Audited {
  readonly scripts: Scripts;
  readonly replay: Replay;
  /** Whose open holds have been compared. */
  readonly seen: ReadonlySet<string>;
  /** Who holds something, though nobody saw an open hold. */
  readonly suspects: Subject[];
}

/** Whatever has a book or is named in the log. */
async function subjectsOf(scripts: Scripts, kind: SubjectKind, logged: ReadonlyMap<string, unknown>) {
  const ids = new Set(logged.keys());
  let cursor = '0';
  do {
    const [next = '0', ...found] = await scripts.run(SUBJECTS[kind], [cursor]);
    for (const id of found) ids.add(id);
    cursor = next;
  } while (cursor !== '0');
  return [...ids];
}

async function compareBooks({ scripts, replay, seen, suspects }: Audited, kind: SubjectKind, ids: readonly string[]) {
  const differences: AuditDifference[] = [];
  const compare = kind === 'org' ? compareOrganization : compareKey;
  for (const some of chunksOf(ids, BOOKS_AT_ONCE)) {
    for (const book of await viewBooks(scripts, replay, { kind, ids: some })) {
      if (amountOf(book.counters[0]) !== 0n && !seen.has(nameOf(book))) suspects.push(book);
      differences.push(...compare(replay, book));
    }
  }
  return differences;
}

async function compareSuspects({ scripts, suspects }: Audited): Promise<AuditDifference[]> {
  if (suspects.length === 0) return [];
  const names = new Set(suspects.map(nameOf));
  const { subjects } = await viewHeld(scripts, suspects);
  return subjects.filter((subject) => names.has(nameOf(subject))).flatMap(compareHeld);
}

function compareHeld({ kind, id, counted, recomputed }: SubjectHeld): AuditDifference[] {
  const subject = kind === 'org' ? 'organization' : 'key';
  return unequal([{ subject, id, counter: 'held', counted, recomputed }]);
}

function compareOrganization({ organizations }: Replay, { id, counters }: SubjectBook): AuditDifference[] {
  const { credits, usage } = organizations.get(id) ?? { credits: 0n, usage: 0n };
  const [, countedUsage, countedCredits] = counters;
  const subject = { subject: 'organization', id } as const;
  return unequal([
    { ...subject, counter: 'credits', counted: amountOf(countedCredits), recomputed: credits },
    { ...subject, counter: 'usage', counted: amountOf(countedUsage), recomputed: usage },
  ]);
}

function compareKey({ keys }: Replay, { id, counters }: SubjectBook): AuditDifference[] {
  const { usage, windows } = keys.get(id) ?? noUsage();
  const [, countedUsage, day, week, month, dayAt, weekAt, monthAt] = counters;
  const { daily, weekly, monthly } = windows;
  // A counter of another window than the latest one of the log should hold nothing of it.
  const ofWindow = (own: { startsAtMs: number; usage: bigint }, countedAt = '0') =>
    own.startsAtMs === Number(countedAt) ? own.usage : 0n;
  const subject = { subject: 'key', id } as const;
  return unequal([
    { ...subject, counter: 'usage', counted: amountOf(countedUsage), recomputed: usage },
    { ...subject, counter: 'day', counted: amountOf(day), recomputed: ofWindow(daily, dayAt) },
    { ...subject, counter: 'week', counted: amountOf(week), recomputed: ofWindow(weekly, weekAt) },
    { ...subject, counter: 'month', counted: amountOf(month), recomputed: ofWindow(monthly, monthAt) },
  ]);
}

function nameOf({ kind, id }: Subject): string {
  return `${kind} ${id}`;
}

/** A subject without a book has an empty text for one. */
function amountOf(text = '0'): bigint {
  return BigInt(text);
}

function unequal(compared: readonly AuditDifference[]): AuditDifference[] {
  return compared.filter(({ counted, recomputed }) => counted !== recomputed);
}
