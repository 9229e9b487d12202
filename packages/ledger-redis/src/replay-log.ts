import { type LedgerEntry, LIMIT_RESETS, type LimitReset, limitWindowAt, type NanoUsd } from '@searchgate/core/ledger';

/** What the log says the counters have to be. */
export interface Replay {
  /** How many entries it has seen, which is the number of the last one. */
  readonly seen: number;
  /** Takes the next entry, in the order of the log. */
  add(entry: LedgerEntry): void;
  readonly organizations: ReadonlyMap<string, OrganizationSums>;
  readonly keys: ReadonlyMap<string, KeySums>;
}

interface OrganizationSums {
  credits: NanoUsd;
  usage: NanoUsd;
}

export interface KeySums {
  usage: NanoUsd;
  /** The latest of each length. */
  readonly windows: Record<LimitReset, WindowSum>;
}

interface WindowSum {
  startsAtMs: number;
  usage: NanoUsd;
}

export function createReplay(): Replay {
  const organizations = new Map<string, OrganizationSums>();
  const keys = new Map<string, KeySums>();
  let seen = 0;
  return {
    organizations,
    keys,
    get seen() {
      return seen;
    },
    add({ kind, organizationId, keyId, amount, atMs }) {
      seen += 1;
      const organization = madeIn(organizations, organizationId, noCredits);
      if (kind === 'grant') organization.credits += amount;
      if (kind !== 'charge' && kind !== 'adjustment') return;
      organization.usage += amount;
      if (keyId !== null) use(madeIn(keys, keyId, noUsage), { amount, atMs });
    },
  };
}

/** As the scripts count: windows only move forward, also where the clock was set back. */
function use(key: KeySums, { amount, atMs }: { readonly amount: NanoUsd; readonly atMs: number }): void {
  key.usage += amount;
  for (const reset of LIMIT_RESETS) {
    const window = key.windows[reset];
    const { startsAtMs } = limitWindowAt(reset, atMs);
    if (startsAtMs > window.startsAtMs) {
      window.startsAtMs = startsAtMs;
      window.usage = 0n;
    }
    window.usage += amount;
  }
}

function noCredits(): OrganizationSums {
  return { credits: 0n, usage: 0n };
}

export function noUsage(): KeySums {
  const none = (): WindowSum => ({ startsAtMs: 0, usage: 0n });
  return { usage: 0n, windows: { daily: none(), weekly: none(), monthly: none() } };
}

function madeIn<T>(map: Map<string, T>, id: string, make: () => T): T {
  let value = map.get(id);
  if (value === undefined) {
    value = make();
    map.set(id, value);
  }
  return value;
}
