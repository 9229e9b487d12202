import type { AuditDifference, AuditReport } from '@searchgate/core';
import type { Scripts } from './create-scripts.js';
import { chunksOf } from './parse-records.js';
import { createReplay, noUsage, type Replay } from './replay-log.js';
import { SUBJECTS } from './scripts/audit-scripts.js';
import { type SubjectKind, type SubjectView, viewLedger } from './view-ledger.js';

/** How many counters one script compares: a millisecond or two, and one more for every thousand open holds. */
const SUBJECTS_AT_ONCE = 250;

/**
 * Recomputes every counter from the log and the open holds. The log is read in pages beside everybody's work; then the counters are compared some at
 * a time, each time in one script together with the open holds and the entries written meanwhile. So every counter is compared
 * with exactly what it has to be at that moment.
 */
export async function auditLedger(scripts: Scripts): Promise<AuditReport> {
  const replay = createReplay();
  // Brings the replay up to date, so that what it has seen is known before the first comparison.
  await viewLedger(scripts, replay, { kind: 'org', ids: [] });
  const organizationIds = await subjectsOf(scripts, 'orgs', replay.organizations);
  const keyIds = await subjectsOf(scripts, 'keys', replay.keys);
  const differences = [
    ...(await compare(scripts, replay, { kind: 'org', ids: organizationIds })),
    ...(await compare(scripts, replay, { kind: 'key', ids: keyIds })),
  ];
  const { openHolds } = await viewLedger(scripts, replay, { kind: 'org', ids: [] });
  const counts = { organizations: organizationIds.length, keys: keyIds.length, entries: replay.seen, openHolds };
  return { ...counts, differences };
}

/** Whatever has counters or is named in the log. */
async function subjectsOf(scripts: Scripts, set: string, logged: ReadonlyMap<string, unknown>): Promise<string[]> {
  const ids = new Set(logged.keys());
  let cursor = '0';
  do {
    const [next = '0', ...found] = await scripts.run(SUBJECTS, [set, cursor]);
    for (const id of found) ids.add(id);
    cursor = next;
  } while (cursor !== '0');
  return [...ids];
}

async function compare(
  scripts: Scripts,
  replay: Replay,
  { kind, ids }: { readonly kind: SubjectKind; readonly ids: readonly string[] },
): Promise<AuditDifference[]> {
  const differences: AuditDifference[] = [];
  for (const some of chunksOf(ids, SUBJECTS_AT_ONCE)) {
    const { subjects } = await viewLedger(scripts, replay, { kind, ids: some });
    const compareOne = kind === 'org' ? compareOrganization : compareKey;
    for (const subject of subjects) differences.push(...compareOne(replay, subject));
  }
  return differences;
}

function compareOrganization({ organizations }: Replay, { id, counters, held }: SubjectView): AuditDifference[] {
  const { credits, usage } = organizations.get(id) ?? { credits: 0n, usage: 0n };
  const [countedHeld = '0', countedUsage = '0', countedCredits = '0'] = counters;
  const subject = { subject: 'organization', id } as const;
  return unequal([
    { ...subject, counter: 'credits', counted: BigInt(countedCredits), recomputed: credits },
    { ...subject, counter: 'usage', counted: BigInt(countedUsage), recomputed: usage },
    { ...subject, counter: 'held', counted: BigInt(countedHeld), recomputed: held },
  ]);
}

function compareKey({ keys }: Replay, { id, counters, held }: SubjectView): AuditDifference[] {
  const { usage, windows } = keys.get(id) ?? noUsage();
  const [countedHeld = '0', countedUsage = '0', , day, dayAt, week, weekAt, month, monthAt] = counters;
  const { daily, weekly, monthly } = windows;
  // A counter of another window than the latest one of the log should hold nothing of it.
  const ofWindow = (own: { startsAtMs: number; usage: bigint }, countedAt = '0') =>
    own.startsAtMs === Number(countedAt) ? own.usage : 0n;
  const subject = { subject: 'key', id } as const;
  return unequal([
    { ...subject, counter: 'usage', counted: BigInt(countedUsage), recomputed: usage },
    { ...subject, counter: 'held', counted: BigInt(countedHeld), recomputed: held },
    { ...subject, counter: 'day', counted: BigInt(day ?? '0'), recomputed: ofWindow(daily, dayAt) },
    { ...subject, counter: 'week', counted: BigInt(week ?? '0'), recomputed: ofWindow(weekly, weekAt) },
    { ...subject, counter: 'month', counted: BigInt(month ?? '0'), recomputed: ofWindow(monthly, monthAt) },
  ]);
}

function unequal(compared: readonly AuditDifference[]): AuditDifference[] {
  return compared.filter(({ counted, recomputed }) => counted !== recomputed);
}
