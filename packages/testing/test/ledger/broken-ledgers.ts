import { type Clock, type HoldRequest, type Ledger, type LedgerEntry, LedgerError } from '@searchgate/core/ledger';

/*
 * Ledgers with one fault each. The conformance suite must catch them: a suite that cannot fail proves nothing.
 */

/** One fault on top of a sound ledger, whose clock it may read. */
export type Break = (sound: Ledger, clock: Clock) => Partial<Ledger>;

/** By its fault: what is broken, and the names of the tests that must fail. */
export type Faults = Readonly<Record<string, readonly [breaks: Break, ...caughtBy: string[]]>>;

/** The random parts, for faults that only a history or a race reveals. */
export const HISTORIES = 'answers every step as the contract does';
const RACES = 'keeps the ledger right whatever happens at once';

/** A ledger that can be forced to accept holds beyond its budget, by hidden grants. */
export function forceHolds(
  sound: Ledger,
): Partial<Ledger> & { force(request: HoldRequest): ReturnType<Ledger['hold']> } {
  const hidden = new Map<string, bigint>();
  return {
    async force(request) {
      const { organizationId, amount, holdId } = request;
      hidden.set(organizationId, (hidden.get(organizationId) ?? 0n) + amount);
      await sound.grant({ grantId: `hidden.${holdId}`, organizationId, amount, note: '' });
      return sound.hold({ ...request, keyLimit: null });
    },
    async organizationTotals(id) {
      const totals = await sound.organizationTotals(id);
      return { ...totals, credits: totals.credits - (hidden.get(id) ?? 0n) };
    },
    async entries(query) {
      const page = await sound.entries(query);
      return { ...page, entries: page.entries.filter(({ id }) => !id.startsWith('hidden.')) };
    },
  };
}

const checkThenAct: Break = (sound) => {
  const { force, ...visible } = forceHolds(sound);
  return {
    ...visible,
    async hold(request) {
      const {
        credits = 0n,
        usage = 0n,
        held = 0n,
      } = (await visible.organizationTotals?.(request.organizationId)) ?? {};
      const key = await sound.keyTotals(request.keyId);
      const keyHasRoom = request.keyLimit === null || key.usage + key.held + request.amount <= request.keyLimit;
      const result = await sound.hold(request);
      const hadRoom = keyHasRoom && usage + held + request.amount <= credits;
      return result.status === 'refused' && hadRoom ? force(request) : result;
    },
  };
};

/** Shifts the totals of organizations by `drift`. */
const drifting =
  (sound: Ledger, drift: { held?: bigint; usage?: bigint }): Ledger['organizationTotals'] =>
  async (id) => {
    const { credits, usage, held } = await sound.organizationTotals(id);
    return { credits, usage: usage + (drift.usage ?? 0n), held: held + (drift.held ?? 0n) };
  };

const withoutEntries = (sound: Ledger, isLost: (entry: LedgerEntry) => boolean): Partial<Ledger> => ({
  async entries(query) {
    const page = await sound.entries(query);
    return { ...page, entries: page.entries.filter((entry) => !isLost(entry)) };
  },
});

export const FAULTS: Faults = {
  'checks the budgets, waits, and holds without looking again': [
    checkThenAct,
    'holds exactly 10 against the balance',
    'holds exactly 10 against the balance for 20 keys',
    'holds exactly 10 against the limit of a key',
    RACES,
  ],
  'charges again when a settle is repeated': [
    (sound) => {
      let repeats = 0;
      return {
        async settle(holdId, charge) {
          const ending = await sound.settle(holdId, charge);
          if (ending.first || ending.status !== 'settled') return ending;
          repeats += 1;
          const adjustmentId = `again.${repeats}`;
          await sound.adjust({ adjustmentId, organizationId: 'acme', keyId: 'key-1', amount: ending.cost, note: '' });
          return ending;
        },
      };
    },
    'repeats the first ending on settle after settle',
    'charges once when settles and sweeps race',
    HISTORIES,
  ],
  'frees a hold again when it is released after its settle': [
    (sound) => {
      const drift = { held: 0n };
      return {
        organizationTotals: drifting(sound, drift),
        async release(holdId, release) {
          const ending = await sound.release(holdId, release);
          if (!ending.first && ending.status === 'settled') drift.held -= 10n;
          return ending;
        },
      };
    },
    'repeats the first ending on release after settle',
  ],
  'loses a settle that comes late': [
    (sound) => ({
      async settle(holdId, charge) {
        const { entries } = await sound.entries({ limit: 1_000 });
        const expired = entries.some(({ id }) => id === `${holdId}.expired`);
        return expired ? { status: 'expired', cost: 0n, first: false } : sound.settle(holdId, charge);
      },
    }),
    'charges a settle that comes late, once, and marks it',
    HISTORIES,
  ],
  'loses the losses of a release that comes late': [
    (sound) => ({
      async release(holdId, release) {
        const { entries } = await sound.entries({ limit: 1_000 });
        const expired = entries.some(({ id }) => id === `${holdId}.expired`);
        return sound.release(holdId, expired ? { reason: release.reason } : release);
      },
    }),
    'books the losses of a release that comes late, once, and changes no balance',
    HISTORIES,
    RACES,
  ],
  'leaves an expired hold as it is when it is released late': [
    (sound) => ({
      async release(holdId, release) {
        const { status, cost = 0n } = (await sound.findHold(holdId)) ?? {};
        return status === 'expired' ? { status, cost, first: false } : sound.release(holdId, release);
      },
    }),
    'ends an expired hold by a release without losses too, and writes nothing',
    'knows a hold that was released late as released',
    HISTORIES,
    RACES,
  ],
  'books the losses of a late release with every repeat': [
    (sound) => {
      const repeated = new Set<string>();
      return {
        async release(holdId, release) {
          const ending = await sound.release(holdId, release);
          if (!ending.first && ending.status === 'released') repeated.add(`${holdId}.loss.1`);
          return ending;
        },
        async entries(query) {
          const page = await sound.entries(query);
          return {
            ...page,
            entries: page.entries.flatMap((entry) => (repeated.has(entry.id) ? [entry, entry] : entry)),
          };
        },
      };
    },
    'books the losses of a release that comes late, once, and changes no balance',
    'books the losses of a late release once when 16 come at once',
    HISTORIES,
    RACES,
  ],
  'writes no losses down': [
    (sound) => withoutEntries(sound, ({ kind }) => kind === 'loss'),
    'records the losses of a settle, and changes no usage',
    HISTORIES,
    RACES,
  ],
  'forgets the entry of a charge of zero': [
    (sound) => withoutEntries(sound, ({ kind, amount }) => kind === 'charge' && amount === 0n),
    'charges a cost of zero',
    HISTORIES,
  ],
  'tries only the first of several amounts': [
    (sound) => ({ hold: (request) => sound.hold({ ...request, acceptableAmounts: [] }) }),
    'holds the largest of several amounts that fits the balance',
    'holds the largest of several amounts that fits the limit',
    'refuses several amounts by the smallest',
    HISTORIES,
  ],
  'holds the smallest of several amounts': [
    (sound) => ({
      async hold({ acceptableAmounts = [], ...request }) {
        return sound.hold({ ...request, amount: acceptableAmounts.at(-1) ?? request.amount });
      },
    }),
    'holds the first amount if it fits',
    HISTORIES,
  ],
  'takes the id of a grant with other arguments for a repetition': [
    (sound) => ({
      grant: (grant) =>
        sound.grant(grant).catch((error: unknown) => {
          if (error instanceof LedgerError && error.reason === 'duplicate_grant') return { applied: false };
          throw error;
        }),
    }),
    'refuses the id of a grant for another amount',
    'refuses one of two different parallel grants with the same id',
    HISTORIES,
  ],
  'never tells contention from exhaustion': [
    (sound) => ({
      async hold(request) {
        const result = await sound.hold(request);
        return result.status === 'refused' ? { ...result, fitsWithoutHolds: false } : result;
      },
    }),
    'calls a balance busy that only holds make too small',
    'holds exactly 10 against the balance',
    HISTORIES,
  ],
  'ignores the limit of the key': [
    (sound) => ({ hold: (request) => sound.hold({ ...request, keyLimit: null }) }),
    'holds a limit to the last nanodollar, not beyond',
    'holds exactly 10 against the limit of a key',
    RACES,
  ],
  'charges no more than was held': [
    (sound) => {
      const amounts = new Map<string, bigint>();
      return {
        hold(request) {
          amounts.set(request.holdId, request.amount);
          return sound.hold(request);
        },
        settle(holdId, charge) {
          const held = amounts.get(holdId) ?? charge.cost;
          return sound.settle(holdId, { ...charge, cost: charge.cost > held ? held : charge.cost });
        },
      };
    },
    'charges more than was held, even beyond balance and limit',
  ],
  'expires a hold one millisecond late': [
    (sound) => ({ expireHolds: (nowMs) => sound.expireHolds(Math.max(0, nowMs - 1)) }),
    'ends a hold from the very millisecond of its expiry on',
    HISTORIES,
  ],
  'charges the organization of a hold that expires': [
    (sound) => ({
      async expireHolds(nowMs) {
        const ended = await sound.expireHolds(nowMs);
        const charged = { organizationId: 'acme', amount: 10n, note: '' };
        if (ended > 0) await sound.adjust({ adjustmentId: `expired-${nowMs}`, ...charged });
        return ended;
      },
    }),
    'frees the money and writes down how much had been held',
    HISTORIES,
  ],
  'uses up the id of a refused hold': [
    (sound) => {
      const refused = new Set<string>();
      return {
        async hold(request) {
          if (refused.has(request.holdId)) throw new LedgerError('duplicate_hold', 'was refused before');
          const result = await sound.hold(request);
          if (result.status === 'refused') refused.add(request.holdId);
          return result;
        },
      };
    },
    'leaves the id of a refused hold free',
    HISTORIES,
  ],
  'settles before it has checked the losses': [
    (sound) => ({
      async settle(holdId, { losses, ...charge }) {
        const ending = await sound.settle(holdId, charge);
        await sound.release(holdId, { reason: '', ...(losses && { losses }) });
        return ending;
      },
    }),
    'refuses negative, huge and non-bigint amounts as cost of a loss of a settle',
  ],
  'loses the update of one of two settles at once': [
    (sound) => {
      const drift = { usage: 0n };
      let running = 0;
      return {
        organizationTotals: drifting(sound, drift),
        async settle(holdId, charge) {
          running += 1;
          await Promise.resolve();
          const ending = await sound.settle(holdId, charge);
          if (running > 1 && ending.first) drift.usage -= ending.cost;
          running -= 1;
          return ending;
        },
      };
    },
    'charges 200 calls exactly when each holds, settles and makes room',
    RACES,
  ],
  'includes the end of a span of time': [
    (sound) => ({
      entries: ({ toMs, ...query } = {}) => sound.entries({ ...query, ...(toMs && { toMs: toMs + 1 }) }),
    }),
    'filters by time, from inclusive and to exclusive',
  ],
  'skips an entry between two pages': [
    (sound) => ({
      async entries(query) {
        const page = await sound.entries(query);
        return page.nextCursor === null ? page : { ...page, nextCursor: String(Number(page.nextCursor) + 1) };
      },
    }),
    'walks 12 entries in pages of 4 and knows which page is the last',
  ],
  'throws where it should reject': [
    (sound) => ({
      settle(holdId, charge) {
        if (holdId.includes(' ')) throw new LedgerError('invalid_id', 'no id');
        return sound.settle(holdId, charge);
      },
    }),
    'refuses malformed ids as holdId of a settle',
  ],
  'still answers after it has been closed': [
    (sound) => ({ organizationTotals: (id) => sound.organizationTotals(id).catch(() => NOTHING) }),
    'refuses organizationTotals afterwards',
    'refuses malformed ids as organizationId of totals',
  ],
};

const NOTHING = { credits: 0n, usage: 0n, held: 0n };
