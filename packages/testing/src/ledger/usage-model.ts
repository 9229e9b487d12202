import type { LedgerEntry, UsageGroup, UsageQuery, UsageRow } from '@searchgate/core/ledger';

const DAY_MS = 86_400_000;

/** What each kind of statement groups an entry under; `null` where the entry has none. */
const GROUPS: Record<UsageGroup, (entry: LedgerEntry) => string | null> = {
  organization: ({ organizationId }) => organizationId,
  key: ({ keyId }) => keyId,
  model: (entry) => ('model' in entry && entry.model !== '' ? entry.model : null),
  tag: (entry) => ('tag' in entry ? (entry.tag ?? null) : null),
  day: ({ atMs }) => new Date(atMs).toISOString().replace(/T.*/, ''),
};

/** The sums of `usage` worked out from the whole log in the simplest way, figure by figure. All groups, whatever page is asked for. */
export function sumsOfLog(log: readonly LedgerEntry[], query: UsageQuery): UsageRow[] {
  const groupOf = GROUPS[query.by];
  const moved = log.filter((entry) => entry.kind !== 'expired' && isWanted(entry, query));
  const groups = [...new Set(moved.map(groupOf))];
  const named = groups.filter((group) => group !== null).sort(byBytes);
  const ordered = groups.includes(null) ? [...named, null] : named;
  return ordered.map((group) =>
    sumsOfGroup(
      group,
      moved.filter((entry) => groupOf(entry) === group),
    ),
  );
}

function sumsOfGroup(group: string | null, entries: readonly LedgerEntry[]): UsageRow {
  const charges = entries.filter((entry) => entry.kind === 'charge');
  const again = charges.filter(({ costSource }) => costSource === 'cached' || costSource === 'shared');
  const ofKind = (kind: LedgerEntry['kind']) => entries.filter((entry) => entry.kind === kind);
  return {
    group,
    charges: charges.length,
    charged: sum(charges.map(({ amount }) => amount)),
    cachedCharges: again.length,
    cached: sum(again.map(({ amount }) => amount)),
    upstreamCost: sum(charges.map(({ upstreamCost = 0n }) => upstreamCost)),
    adjusted: sum(ofKind('adjustment').map(({ amount }) => amount)),
    granted: sum(ofKind('grant').map(({ amount }) => amount)),
    lost: sum(ofKind('loss').map(({ amount }) => amount)),
  };
}

function isWanted(entry: LedgerEntry, { organizationId, keyId, fromDay, toDay }: UsageQuery): boolean {
  const day = Math.floor(entry.atMs / DAY_MS);
  return (
    (organizationId === undefined || entry.organizationId === organizationId) &&
    (keyId === undefined || entry.keyId === keyId) &&
    (fromDay === undefined || day >= fromDay) &&
    (toDay === undefined || day < toDay)
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
