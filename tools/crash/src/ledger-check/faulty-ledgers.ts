import type { Charge, DurableLedger, KeyTotals } from '@searchgate/core/ledger';
import { PRICE_NANOS } from '../upstream-dialects.js';
import type { RULES } from './rules.js';

/** A fault of a ledger, and the rule that must detect it. */
export interface Fault {
  readonly fault: string;
  readonly caughtBy: keyof typeof RULES;
  /** Operations that replace the sound ones. */
  breaks(sound: DurableLedger): Partial<DurableLedger>;
}

const ONE_IN = 100;
const PRICE = BigInt(PRICE_NANOS);

/** Subtle faults of a driver, a script or a transaction in a busy service: most operations are correct. */
export const FAULTS: readonly Fault[] = [
  {
    fault: 'acknowledges one settle in a hundred and forgets it',
    caughtBy: 'everyAnswerIsCharged',
    breaks: (sound) => ({
      settle: sometimes(
        async (_: string, { cost }: Charge) => ({ status: 'settled', cost, first: true }) as const,
        (holdId, charge) => sound.settle(holdId, charge),
      ),
    }),
  },
  {
    fault: 'acknowledges settles before they are done, and is killed',
    caughtBy: 'everyAnswerIsCharged',
    breaks(sound) {
      let waiting: (() => Promise<unknown>)[] = [];
      return {
        async settle(holdId, charge) {
          waiting.push(() => sound.settle(holdId, charge));
          if (waiting.length === 7) {
            await Promise.all(waiting.map((write) => write()));
            waiting = [];
          }
          return { status: 'settled', cost: charge.cost, first: true };
        },
      };
    },
  },
  {
    fault: 'charges one call in a hundred again, under another id',
    caughtBy: 'everyChargeWasServed',
    breaks: (sound) => ({
      settle: sometimes(
        async (holdId: string, charge: Charge) => {
          const again = `${holdId}-again`;
          const { organizationId, keyId } = identityIn(holdId);
          const hold = {
            holdId: again,
            organizationId,
            keyId,
            keyLimit: null,
            amount: charge.cost,
            model: charge.model,
          };
          await sound.hold({ ...hold, expiresAtMs: Date.now() + 60_000 });
          await sound.settle(again, charge);
          return sound.settle(holdId, charge);
        },
        (holdId, charge) => sound.settle(holdId, charge),
      ),
    }),
  },
  {
    fault: 'charges a nanodollar too little, once in a hundred',
    caughtBy: 'everyAnswerIsCharged',
    breaks: (sound) => ({
      settle: sometimes(
        (holdId: string, charge: Charge) => sound.settle(holdId, { ...charge, cost: charge.cost - 1n }),
        (holdId, charge) => sound.settle(holdId, charge),
      ),
    }),
  },
  {
    fault: 'releases one settled hold in a hundred first',
    caughtBy: 'everyAnswerIsCharged',
    breaks: (sound) => ({
      settle: sometimes(
        async (holdId: string, charge: Charge) => {
          await sound.release(holdId, { reason: 'mistaken' });
          return sound.settle(holdId, charge);
        },
        (holdId, charge) => sound.settle(holdId, charge),
      ),
    }),
  },
  {
    fault: 'forgets the limit of a key',
    caughtBy: 'noBudgetIsExceeded',
    breaks: (sound) => ({ hold: (request) => sound.hold({ ...request, keyLimit: null }) }),
  },
  {
    fault: 'forgets the limits of budgets',
    caughtBy: 'noBudgetIsExceeded',
    breaks: (sound) => ({
      hold: (request) =>
        sound.hold({ ...request, budgets: request.budgets?.map((budget) => ({ ...budget, limit: null })) }),
    }),
  },
  {
    fault: 'counts in the first budget of a call only',
    caughtBy: 'chargesNameTheirBudgets',
    breaks: (sound) => ({ hold: (request) => sound.hold({ ...request, budgets: request.budgets?.slice(0, 1) }) }),
  },
  {
    fault: 'writes one charge in a hundred into the log twice',
    caughtBy: 'nothingIsEnteredTwice',
    breaks: (sound) => ({
      async entries(query) {
        const page = await sound.entries(query);
        return {
          ...page,
          entries: page.entries.flatMap((entry, index) => (index % ONE_IN === 50 ? [entry, entry] : [entry])),
        };
      },
    }),
  },
  {
    fault: 'counts a charge that is not in the log',
    caughtBy: 'countersEqualTheLog',
    breaks: (sound) => ({
      async organizationTotals(id) {
        const totals = await sound.organizationTotals(id);
        return { ...totals, usage: totals.usage + 1n };
      },
    }),
  },
  {
    fault: 'counts a charge in a budget that is not in the log',
    caughtBy: 'countersEqualTheLog',
    breaks: (sound) => changeBudgets(sound, (totals) => ({ ...totals, usage: totals.usage + 1n })),
  },
  {
    fault: 'loses one of the charges of a day in a budget',
    caughtBy: 'windowsEqualTheLog',
    breaks: (sound) => changeBudgets(sound, (totals) => ({ ...totals, windowUsage: totals.windowUsage - PRICE })),
  },
  {
    fault: 'frees the hold of the key and keeps that of a budget',
    caughtBy: 'holdsAgree',
    breaks: (sound) => changeBudgets(sound, (totals) => ({ ...totals, held: totals.held + 1n })),
  },
  {
    fault: 'loses one of the charges of a day',
    caughtBy: 'windowsEqualTheLog',
    breaks: (sound) => ({
      async keyTotals(id, limitReset) {
        const totals = await sound.keyTotals(id, limitReset);
        return { ...totals, windowUsage: totals.windowUsage - PRICE };
      },
    }),
  },
  {
    fault: 'frees the hold of the organization and keeps that of the key',
    caughtBy: 'holdsAgree',
    breaks: (sound) => ({
      async keyTotals(id, limitReset) {
        const totals = await sound.keyTotals(id, limitReset);
        return { ...totals, held: totals.held + 1n };
      },
    }),
  },
  {
    fault: 'stamps entries with the clock of another time zone',
    caughtBy: 'entriesAreStampedWithTheTrueTime',
    breaks: (sound) => ({
      async entries(query) {
        const page = await sound.entries(query);
        return { ...page, entries: page.entries.map((entry) => ({ ...entry, atMs: entry.atMs - 7_200_000 })) };
      },
    }),
  },
  {
    fault: 'does not mark what was settled after its hold had expired',
    caughtBy: 'lateChargesAreMarked',
    breaks: (sound) => ({
      settle: sometimes(
        async (holdId: string, charge: Charge) => {
          await sound.expireHolds(Date.now() + 3_600_000);
          return sound.settle(holdId, charge);
        },
        (holdId, charge) => sound.settle(holdId, charge),
      ),
      async entries(query) {
        const page = await sound.entries(query);
        return { ...page, entries: page.entries.map((entry) => ('late' in entry ? { ...entry, late: false } : entry)) };
      },
    }),
  },
];

/** The id of a hold of these tests, from which a faulty ledger can read the key. */
export function holdIdOf(identity: { readonly organizationId: string; readonly keyId: string }, index: number): string {
  return [identity.organizationId, identity.keyId, index].join('/');
}

function changeBudgets(sound: DurableLedger, change: (totals: KeyTotals) => KeyTotals): Partial<DurableLedger> {
  return { budgetTotals: async (...asked) => (await sound.budgetTotals(...asked)).map(change) };
}

function identityIn(holdId: string): { organizationId: string; keyId: string } {
  const [organizationId = '', keyId = ''] = holdId.split('/');
  return { organizationId, keyId };
}

/** Calls `rarely` once in a hundred times, else `mostly`. */
function sometimes<A extends unknown[], R>(rarely: (...args: A) => R, mostly: (...args: A) => R): (...args: A) => R {
  let times = 0;
  return (...args) => (++times % ONE_IN === 50 ? rarely(...args) : mostly(...args));
}
