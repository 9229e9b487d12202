import {
  type HoldRequest,
  type HoldResult,
  type Ledger,
  type LedgerEntry,
  type LimitReset,
  type LimitWindow,
  limitWindowAt,
} from '@searchgate/core/ledger';
import { type Break, type Fault, forceHolds, HISTORIES } from './broken-ledgers.js';

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

export const WINDOW_FAULTS: readonly Fault[] = [
  {
    fault: 'never starts a limit over',
    breaks: holdingWith(() => ({ keyLimitReset: null })),
    caughtBy: [startsOver('daily'), startsOver('weekly'), startsOver('monthly'), says('daily'), CHANGES, HISTORIES],
  },
  {
    fault: 'starts every limit over each day',
    breaks: holdingWith(({ keyLimitReset = null }) => ({ keyLimitReset: keyLimitReset && 'daily' })),
    caughtBy: [CHANGES, says('monthly'), HISTORIES],
  },
  {
    fault: 'starts limits over that never reset',
    breaks: holdingWith(({ keyLimitReset = null }) => ({ keyLimitReset: keyLimitReset ?? 'monthly' })),
    caughtBy: ['never starts a limit over that does not reset', says('never'), HISTORIES],
  },
  { fault: 'starts holds over as well', breaks: heldStartsOver, caughtBy: [LATE, HISTORIES] },
  {
    fault: 'counts a charge in the window of its hold',
    breaks: chargedWhereHeld,
    caughtBy: [LATE, AT_ONCE, HISTORIES],
  },
  {
    fault: 'remembers only the window of the reset it was last asked for',
    breaks: oneWindow,
    caughtBy: [CHANGES, 'counts every hold against every window', HISTORIES],
  },
  { fault: 'loses one of two charges at once in a window', breaks: lostUpdates, caughtBy: [AT_ONCE] },
  {
    fault: 'begins weeks on Sunday',
    breaks: reading({ windowAt: (reset, atMs) => shifted(atMs, reset === 'weekly' ? -DAY_MS : 0, reset) }),
    caughtBy: [WALK],
  },
  {
    fault: 'begins windows at midnight of a time zone',
    breaks: reading({ windowAt: (reset, atMs) => shifted(atMs, -HOUR_MS, reset) }),
    caughtBy: [startsOver('daily'), WALK],
  },
  {
    fault: 'ends windows one millisecond late',
    breaks: reading({ windowAt: (reset, atMs) => limitWindowAt(reset, atMs - 1) }),
    caughtBy: [startsOver('daily'), startsOver('weekly'), startsOver('monthly'), WALK],
  },
  {
    fault: 'counts the last 24 hours instead of the day',
    breaks: reading({
      windowAt: (reset, atMs) =>
        reset === 'daily' ? { startsAtMs: atMs - DAY_MS, resetsAtMs: atMs } : limitWindowAt(reset, atMs),
    }),
    caughtBy: [startsOver('daily'), WALK],
  },
  {
    fault: 'gives every month 30 days',
    breaks: reading({
      windowAt: (reset, atMs) =>
        reset === 'monthly' ? { startsAtMs: atMs - (atMs % (30 * DAY_MS)), resetsAtMs: 0 } : limitWindowAt(reset, atMs),
    }),
    caughtBy: [WALK],
  },
  {
    fault: 'leaves corrections out of its windows',
    breaks: reading({ amountOf: (entry) => (entry.kind === 'adjustment' ? 0n : countedAmount(entry)) }),
    caughtBy: ['counts corrections of a key once, up and down, even below zero', HISTORIES],
  },
  {
    fault: 'counts losses and expiries in its windows',
    breaks: reading({ amountOf: ({ amount }) => amount }),
    caughtBy: ['counts neither holds nor releases, losses or expiries', HISTORIES],
  },
  {
    fault: 'never lets the usage of a window fall below zero',
    breaks: (sound) => ({
      async keyTotals(keyId, limitReset) {
        const totals = await sound.keyTotals(keyId, limitReset);
        return { ...totals, windowUsage: totals.windowUsage < 0n ? 0n : totals.windowUsage };
      },
    }),
    caughtBy: ['counts a correction in the window it is made in, even below zero'],
  },
  {
    fault: 'tells the usage of all time when a limit refuses',
    breaks: (sound) => ({
      async hold(request) {
        const result = await sound.hold(request);
        if (result.status === 'held' || result.by !== 'key_limit') return result;
        return { ...result, usage: (await sound.keyTotals(request.keyId)).usage };
      },
    }),
    caughtBy: [CHANGES, HISTORIES],
  },
  {
    fault: 'does not say when a limit resets',
    breaks: telling(() => ({ resetsAtMs: null })),
    caughtBy: [says('daily'), 'knows the reset of a limit of an unknown key', CHANGES, HISTORIES],
  },
  {
    fault: 'tells when a limit resets although it is the balance that refuses',
    breaks: telling((_, { keyLimitReset }, atMs) =>
      keyLimitReset == null ? {} : { resetsAtMs: limitWindowAt(keyLimitReset, atMs).resetsAtMs },
    ),
    caughtBy: ['reports no reset if the balance has no room', HISTORIES],
  },
  {
    fault: 'tells the end of the window that its clock is in, and counts in a later one',
    breaks: (sound, clock) => ({
      async keyTotals(keyId, limitReset = null) {
        const totals = await sound.keyTotals(keyId, limitReset);
        return { ...totals, resetsAtMs: limitReset && limitWindowAt(limitReset, clock.now()).resetsAtMs };
      },
    }),
    caughtBy: ['daily', 'weekly', 'monthly'].map(
      (reset) => `keeps a ${reset} limit in its latest window if the clock is set back`,
    ),
  },
  {
    fault: 'takes a reset it does not know for none',
    breaks: (sound) => ({
      hold: ({ keyLimitReset = null, ...request }) =>
        sound.hold({ ...request, keyLimitReset: isKnown(keyLimitReset) ? keyLimitReset : null }),
      keyTotals: (keyId, limitReset = null) => sound.keyTotals(keyId, isKnown(limitReset) ? limitReset : null),
    }),
    caughtBy: ['refuses an invalid reset'],
  },
];

function isKnown(reset: LimitReset | null): boolean {
  return reset === 'daily' || reset === 'weekly' || reset === 'monthly';
}
