import {
  type HoldRequest,
  type HoldResult,
  type Ledger,
  type LedgerEntry,
  type LimitReset,
  type LimitWindow,
  limitWindowAt,
} from '@searchgate/core/ledger';
import { type Break, type Faults, forceHolds, HISTORIES } from './broken-ledgers.js';

/* Ledgers with one fault each in the windows of limits. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WALK = 'counts a charge a day in the right days, weeks and months of the calendar';
const CHANGES = 'knows the usage of day, week and month at once when the reset of a key changes';
const AT_ONCE = 'counts 100 charges at once just after every window has ended';
const LATE = 'counts a charge in the window of its settle, not of its hold';
const startsOver = (reset: LimitReset) => `starts a ${reset} limit over in the very millisecond its window ends`;
const says = (name: string) => `reports the use of a limit that resets ${name}, and when it does`;

/** The inputs of a wrong reading. */
interface Reading {
  readonly windowAt?: (reset: LimitReset, atMs: number) => LimitWindow;
  readonly amountOf?: (entry: LedgerEntry) => bigint;
  readonly timeOf?: (entry: LedgerEntry) => number;
}

const countedAmount = ({ kind, amount }: LedgerEntry) => (kind === 'charge' || kind === 'adjustment' ? amount : 0n);

/** Computes the usage of windows from the log by a rule that breaks the contract. */
const reading =
  ({ windowAt = limitWindowAt, amountOf = countedAmount, timeOf = ({ atMs }) => atMs }: Reading): Break =>
  (sound, clock) => ({
    async keyTotals(keyId, limitReset) {
      const totals = await sound.keyTotals(keyId, limitReset);
      if (limitReset == null) return totals;
      const { entries } = await sound.entries({ keyId, limit: 1_000 });
      const { startsAtMs } = windowAt(limitReset, clock.now());
      const present = entries.filter((entry) => timeOf(entry) >= startsAtMs);
      return { ...totals, windowUsage: present.reduce((sum, entry) => sum + amountOf(entry), 0n) };
    },
  });

/** Changes the details of a refused hold. */
const telling =
  (change: (result: HoldResult & { status: 'refused' }, request: HoldRequest, atMs: number) => object): Break =>
  (sound, clock) => ({
    async hold(request) {
      const result = await sound.hold(request);
      return result.status === 'refused' ? { ...result, ...change(result, request, clock.now()) } : result;
    },
  });

/** The same windows, shifted by `byMs`. */
const shifted = (atMs: number, byMs: number, reset: LimitReset): LimitWindow => {
  const { startsAtMs, resetsAtMs } = limitWindowAt(reset, atMs - byMs);
  return { startsAtMs: startsAtMs + byMs, resetsAtMs: resetsAtMs + byMs };
};

const heldStartsOver: Break = (sound, clock) => {
  const { force, ...visible } = forceHolds(sound);
  const heldAt: { readonly request: HoldRequest; readonly atMs: number }[] = [];
  return {
    ...visible,
    async hold(request) {
      const result = await sound.hold(request);
      const { keyId, keyLimitReset, amount } = request;
      if (result.status === 'held') heldAt.push({ request, atMs: clock.now() });
      if (result.status === 'held' || result.by !== 'key_limit' || keyLimitReset == null) return result;
      const { startsAtMs } = limitWindowAt(keyLimitReset, clock.now());
      const seen = heldAt.filter((hold) => hold.request.keyId === keyId && hold.atMs >= startsAtMs);
      const held = seen.reduce((sum, hold) => sum + hold.request.amount, 0n);
      return result.usage + held + amount <= result.limit ? force(request) : result;
    },
  };
};

const chargedWhereHeld: Break = (sound, clock) => {
  const heldAtMs = new Map<string, number>();
  const timeOf = ({ id, atMs }: LedgerEntry) => heldAtMs.get(id) ?? atMs;
  return {
    ...reading({ timeOf })(sound, clock),
    async hold(request) {
      const result = await sound.hold(request);
      if (result.status === 'held') heldAtMs.set(request.holdId, clock.now());
      return result;
    },
  };
};

/** Keeps one window per key, of the last reset asked for, and restarts it when another reset is asked for. */
const oneWindow: Break = (sound) => {
  const latest = new Map<string, { readonly reset: LimitReset | null; readonly before: bigint }>();
  return {
    async hold(request) {
      const { keyId, keyLimit, keyLimitReset: reset = null } = request;
      const known = latest.get(keyId);
      const before =
        known === undefined || known.reset === reset
          ? (known?.before ?? 0n)
          : (await sound.keyTotals(keyId, reset)).windowUsage;
      latest.set(keyId, { reset, before });
      const result = await sound.hold({ ...request, keyLimit: keyLimit === null ? null : keyLimit + before });
      if (result.status === 'held' || result.by !== 'key_limit') return result;
      return { ...result, limit: result.limit - before, usage: result.usage - before };
    },
  };
};

/** Reads a window's usage, waits and writes it back, so that one of two parallel charges is lost. */
const lostUpdates: Break = (sound) => {
  let lost = 0n;
  let running = 0;
  return {
    async settle(holdId, charge) {
      running += 1;
      await Promise.resolve();
      const ending = await sound.settle(holdId, charge);
      if (running > 1 && ending.first) lost += ending.cost;
      running -= 1;
      return ending;
    },
    async keyTotals(keyId, limitReset) {
      const totals = await sound.keyTotals(keyId, limitReset);
      return limitReset == null ? totals : { ...totals, windowUsage: totals.windowUsage - lost };
    },
  };
};

const holdingWith =
  (change: (request: HoldRequest) => Partial<HoldRequest>): Break =>
  (sound: Ledger) => ({ hold: (request) => sound.hold({ ...request, ...change(request) }) });

export const WINDOW_FAULTS: Faults = {
  'never starts a limit over': [
    holdingWith(() => ({ keyLimitReset: null })),
    startsOver('daily'),
    startsOver('weekly'),
    startsOver('monthly'),
    says('daily'),
    CHANGES,
    HISTORIES,
  ],
  'starts every limit over each day': [
    holdingWith(({ keyLimitReset = null }) => ({ keyLimitReset: keyLimitReset && 'daily' })),
    CHANGES,
    says('monthly'),
    HISTORIES,
  ],
  'starts limits over that never reset': [
    holdingWith(({ keyLimitReset = null }) => ({ keyLimitReset: keyLimitReset ?? 'monthly' })),
    'never starts a limit over that does not reset',
    says('never'),
    HISTORIES,
  ],
  'starts holds over as well': [heldStartsOver, LATE, HISTORIES],
  'counts a charge in the window of its hold': [chargedWhereHeld, LATE, AT_ONCE, HISTORIES],
  'remembers only the window of the reset it was last asked for': [
    oneWindow,
    CHANGES,
    'counts every hold against every window',
    HISTORIES,
  ],
  'loses one of two charges at once in a window': [lostUpdates, AT_ONCE],
  'begins weeks on Sunday': [
    reading({ windowAt: (reset, atMs) => shifted(atMs, reset === 'weekly' ? -DAY_MS : 0, reset) }),
    WALK,
  ],
  'begins windows at midnight of a time zone': [
    reading({ windowAt: (reset, atMs) => shifted(atMs, -HOUR_MS, reset) }),
    startsOver('daily'),
    WALK,
  ],
  'ends windows one millisecond late': [
    reading({ windowAt: (reset, atMs) => limitWindowAt(reset, atMs - 1) }),
    startsOver('daily'),
    startsOver('weekly'),
    startsOver('monthly'),
    WALK,
  ],
  'counts the last 24 hours instead of the day': [
    reading({
      windowAt: (reset, atMs) =>
        reset === 'daily' ? { startsAtMs: atMs - DAY_MS, resetsAtMs: atMs } : limitWindowAt(reset, atMs),
    }),
    startsOver('daily'),
    WALK,
  ],
  'gives every month 30 days': [
    reading({
      windowAt: (reset, atMs) =>
        reset === 'monthly' ? { startsAtMs: atMs - (atMs % (30 * DAY_MS)), resetsAtMs: 0 } : limitWindowAt(reset, atMs),
    }),
    WALK,
  ],
  'leaves corrections out of its windows': [
    reading({ amountOf: (entry) => (entry.kind === 'adjustment' ? 0n : countedAmount(entry)) }),
    HISTORIES,
  ],
  'counts losses and expiries in its windows': [reading({ amountOf: ({ amount }) => amount }), HISTORIES],
  'never lets the usage of a window fall below zero': [
    (sound) => ({
      async keyTotals(keyId, limitReset) {
        const totals = await sound.keyTotals(keyId, limitReset);
        return { ...totals, windowUsage: totals.windowUsage < 0n ? 0n : totals.windowUsage };
      },
    }),
    'counts a correction in the window it is made in, even below zero',
  ],
  'tells the usage of all time when a limit refuses': [
    (sound) => ({
      async hold(request) {
        const result = await sound.hold(request);
        if (result.status === 'held' || result.by !== 'key_limit') return result;
        return { ...result, usage: (await sound.keyTotals(request.keyId)).usage };
      },
    }),
    CHANGES,
    HISTORIES,
  ],
  'does not say when a limit resets': [telling(() => ({ resetsAtMs: null })), says('daily'), CHANGES, HISTORIES],
  'tells when a limit resets although it is the balance that refuses': [
    telling((_, { keyLimitReset }, atMs) =>
      keyLimitReset == null ? {} : { resetsAtMs: limitWindowAt(keyLimitReset, atMs).resetsAtMs },
    ),
    HISTORIES,
  ],
  'tells the end of the window that its clock is in, and counts in a later one': [
    (sound, clock) => ({
      async keyTotals(keyId, limitReset = null) {
        const totals = await sound.keyTotals(keyId, limitReset);
        return { ...totals, resetsAtMs: limitReset && limitWindowAt(limitReset, clock.now()).resetsAtMs };
      },
    }),
    ...['daily', 'weekly', 'monthly'].map(
      (reset) => `keeps a ${reset} limit in its latest window if the clock is set back`,
    ),
  ],
  'takes a reset it does not know for none': [
    (sound) => ({
      hold: ({ keyLimitReset = null, ...request }) =>
        sound.hold({ ...request, keyLimitReset: isKnown(keyLimitReset) ? keyLimitReset : null }),
      keyTotals: (keyId, limitReset = null) => sound.keyTotals(keyId, isKnown(limitReset) ? limitReset : null),
    }),
    'refuses an invalid reset',
  ],
};

function isKnown(reset: LimitReset | null): boolean {
  return reset === 'daily' || reset === 'weekly' || reset === 'monthly';
}
