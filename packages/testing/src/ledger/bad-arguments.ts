import {
  type Charge,
  type EntryQuery,
  type Ledger,
  type LedgerReason,
  type LimitReset,
  type Loss,
  MAX_ACCEPTABLE_AMOUNTS,
  MAX_NANO_USD,
  type RateLimit,
  type UsageGroup,
  type UsageQuery,
} from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import { BAD_AMOUNTS, BAD_DAYS, BAD_IDS, BAD_TAGS, BAD_TIMES, TOO_LONG, UNFIT_TEXTS } from '../bad-values.js';
import type { LedgerSuite } from './ledger-suite.js';
import { assertNoChange } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

const BAD_RESETS = ['', 'yearly', 'Daily', 'constructor', 7, {}] as unknown as LimitReset[];
const BAD_LIMITS = [0, -1, 1_001, 1.5, Number.NaN];

const BAD_RATE_LIMITS = [
  { requests: 0, periodMs: 60_000 },
  { requests: 1.5, periodMs: 60_000 },
  { requests: 1_000_001, periodMs: 60_000 },
  { requests: 60, periodMs: 0 },
  { requests: 60, periodMs: 1_500 },
  { requests: 60, periodMs: 86_401_000 },
  { requests: 60, periodSeconds: 60 },
  { requests: 60 },
  { requests: 60, periodMs: 60_000, burst: 5 },
  60,
] as unknown as readonly RateLimit[];

type Operation = (ledger: Ledger) => Promise<unknown>;

const LOSS: Loss = { model: 'exa/answer', provider: 'exa', cost: 0n, reason: 'upstream_error' };
const chargeLosing = (changes: Partial<Loss>) => chargeOf({ losses: [LOSS, { ...LOSS, ...changes }] });
const query =
  (changes: EntryQuery): Operation =>
  (ledger) =>
    ledger.entries(changes);
const usage =
  (changes: Partial<UsageQuery>): Operation =>
  (ledger) =>
    ledger.usage({ by: 'day', ...changes });

const ID_ARGUMENTS: Record<string, (id: string) => Operation> = {
  grantId: (id) => (ledger) => ledger.grant(grantOf({ grantId: id })),
  'organizationId of a grant': (id) => (ledger) => ledger.grant(grantOf({ grantId: 'new', organizationId: id })),
  adjustmentId: (id) => (ledger) => ledger.adjust(adjustmentOf({ adjustmentId: id })),
  'organizationId of an adjustment': (id) => (ledger) => ledger.adjust(adjustmentOf({ organizationId: id })),
  'keyId of an adjustment': (id) => (ledger) => ledger.adjust(adjustmentOf({ keyId: id })),
  holdId: (id) => (ledger) => ledger.hold(holdOf({ holdId: id })),
  'organizationId of a hold': (id) => (ledger) => ledger.hold(holdOf({ holdId: 'new', organizationId: id })),
  'keyId of a hold': (id) => (ledger) => ledger.hold(holdOf({ holdId: 'new', keyId: id })),
  'organizationId of an admission': (id) => (ledger) => ledger.admit(holdOf({ organizationId: id })),
  'keyId of an admission': (id) => (ledger) => ledger.admit(holdOf({ keyId: id })),
  'keyId of rates': (id) => (ledger) => ledger.ratesUsed(holdOf({ keyId: id })),
  'holdId of a settle': (id) => (ledger) => ledger.settle(id, chargeOf()),
  'holdId of a release': (id) => (ledger) => ledger.release(id, RELEASE),
  'organizationId of totals': (id) => (ledger) => ledger.organizationTotals(id),
  'keyId of totals': (id) => (ledger) => ledger.keyTotals(id),
  'organizationId of entries': (id) => query({ organizationId: id }),
  'keyId of entries': (id) => query({ keyId: id }),
  'organizationId of usage': (id) => usage({ organizationId: id }),
  'keyId of usage': (id) => usage({ keyId: id }),
  'holdId to be found': (id) => (ledger) => ledger.findHold(id),
};

const AMOUNT_ARGUMENTS: Record<string, (amount: bigint) => Operation> = {
  'amount of a grant': (amount) => (ledger) => ledger.grant(grantOf({ grantId: 'new', amount })),
  'amount of a hold': (amount) => (ledger) => ledger.hold(holdOf({ holdId: 'new', amount })),
  'a smaller amount of a hold': (amount) => (ledger) =>
    ledger.hold(holdOf({ holdId: 'new', acceptableAmounts: [5n, amount] })),
  keyLimit: (amount) => (ledger) => ledger.hold(holdOf({ holdId: 'new', keyLimit: amount })),
  'cost of a settle': (amount) => (ledger) => ledger.settle('hold-1', chargeOf({ cost: amount })),
  'upstreamCost of a settle': (amount) => (ledger) => ledger.settle('hold-1', chargeOf({ upstreamCost: amount })),
  'tenantCost of a settle': (amount) => (ledger) => ledger.settle('hold-1', chargeOf({ tenantCost: amount })),
  'cost of a loss of a settle': (amount) => (ledger) => ledger.settle('hold-1', chargeLosing({ cost: amount })),
  'cost of a loss of a release': (amount) => (ledger) =>
    ledger.release('hold-1', { ...RELEASE, losses: [...TWO_LOSSES, { ...LOSS, cost: amount }] }),
};

const OTHER_ARGUMENTS: Record<string, readonly Operation[]> = {
  'an invalid time': BAD_TIMES.flatMap((timeMs): Operation[] => [
    (ledger) => ledger.hold(holdOf({ holdId: 'new', expiresAtMs: timeMs })),
    (ledger) => ledger.expireHolds(timeMs),
    query({ fromMs: timeMs }),
    query({ toMs: timeMs }),
  ]),
  'an invalid page size': BAD_LIMITS.flatMap((limit) => [query({ limit }), usage({ limit })]),
  'an invalid day': BAD_DAYS.flatMap((day) => [usage({ fromDay: day }), usage({ toDay: day })]),
  'an invalid tag': BAD_TAGS.map(
    (tag): Operation =>
      (ledger) =>
        ledger.hold(holdOf({ holdId: 'new', tag })),
  ),
  'an unknown group of usage': ['', 'week', 'Day', 'toString', undefined, 5].map((by) =>
    usage({ by: by as UsageGroup }),
  ),
  'an invalid reset': BAD_RESETS.flatMap((reset): Operation[] => [
    (ledger) => ledger.hold(holdOf({ holdId: 'new', keyLimit: 1_000n, keyLimitReset: reset })),
    (ledger) => ledger.hold(holdOf({ holdId: 'new', keyLimitReset: reset })),
    (ledger) => ledger.keyTotals('key-1', reset),
  ]),
  'an invalid rate limit': BAD_RATE_LIMITS.flatMap((limit): Operation[] => [
    (ledger) => ledger.hold(holdOf({ holdId: 'new', keyRateLimit: limit })),
    (ledger) => ledger.admit(holdOf({ organizationRateLimit: limit })),
    (ledger) => ledger.ratesUsed(holdOf({ keyRateLimit: limit })),
  ]),
  'an invalid number of slots': [0, -1, 1.5, Number.NaN, 1_000_001, '4' as unknown as number].flatMap(
    (most): Operation[] => [
      (ledger) => ledger.hold(holdOf({ holdId: 'new', keyMaxConcurrent: most })),
      (ledger) => ledger.hold(holdOf({ holdId: 'new', organizationMaxConcurrent: most })),
    ],
  ),
  'a switch that is neither on nor off': ['usesSlot', 'operatorPays'].map(
    (name): Operation =>
      (ledger) =>
        ledger.hold(holdOf({ holdId: 'new', [name]: 1 })),
  ),
  'a text over 1,000 characters': [
    (ledger) => ledger.grant(grantOf({ grantId: 'new', note: TOO_LONG })),
    (ledger) => ledger.adjust(adjustmentOf({ note: TOO_LONG })),
    (ledger) => ledger.hold(holdOf({ holdId: 'new', model: TOO_LONG })),
    (ledger) => ledger.settle('hold-1', chargeOf({ model: TOO_LONG })),
    (ledger) => ledger.settle('hold-1', chargeOf({ provider: TOO_LONG })),
    (ledger) => ledger.settle('hold-1', chargeLosing({ reason: TOO_LONG })),
    (ledger) => ledger.release('hold-1', { reason: TOO_LONG }),
    usage({ after: TOO_LONG }),
  ],
  'a text with NUL or half a surrogate pair': UNFIT_TEXTS.flatMap((text): Operation[] => [
    (ledger) => ledger.grant(grantOf({ grantId: 'new', note: text })),
    (ledger) => ledger.adjust(adjustmentOf({ note: text })),
    (ledger) => ledger.release('hold-1', { reason: text }),
    usage({ after: text }),
  ]),
  'acceptable amounts that are not strictly descending, or too many': [
    [10n],
    [11n],
    [5n, 5n],
    [5n, 6n],
    Array.from({ length: MAX_ACCEPTABLE_AMOUNTS + 1 }, (_, index) => 9_999n - BigInt(index)),
    'none' as unknown as bigint[],
  ].map((acceptableAmounts): Operation => {
    const amount = acceptableAmounts.length > 9 ? 10_000n : 10n;
    return (ledger) => ledger.hold(holdOf({ holdId: 'new', amount, acceptableAmounts }));
  }),
  'an unknown word': [
    (ledger) => ledger.settle('hold-1', chargeOf({ costSource: 'guessed' as Charge['costSource'] })),
    (ledger) => ledger.settle('hold-1', chargeOf({ losses: 'none' as unknown as Loss[] })),
  ],
};

async function assertAllRefused(ledger: Ledger, reason: LedgerReason, operations: readonly Operation[]): Promise<void> {
  await ledger.grant(grantOf());
  await ledger.hold(holdOf());
  await assertNoChange(ledger, async () => {
    for (const operation of operations) await assertRefused(reason, () => operation(ledger));
  });
  // After a bad settle or release, the hold is still open.
  await ledger.settle('hold-1', chargeOf());
}

/** Bad arguments: each is refused with its code, changes nothing (not even partly), and leaves the ledger usable. */
export function registerBadArguments({ describe, test }: LedgerSuite): void {
  describe('bad arguments', () => {
    for (const [name, operationOf] of Object.entries(ID_ARGUMENTS)) {
      test(`refuses malformed ids as ${name}`, ({ ledger }) =>
        assertAllRefused(ledger, 'invalid_id', BAD_IDS.map(operationOf)));
    }
    for (const [name, operationOf] of Object.entries(AMOUNT_ARGUMENTS)) {
      test(`refuses negative, huge and non-bigint amounts as ${name}`, ({ ledger }) =>
        assertAllRefused(ledger, 'invalid_amount', BAD_AMOUNTS.map(operationOf)));
    }
    test('refuses adjustments over 2^62 in either direction', ({ ledger }) => {
      const amounts = [MAX_NANO_USD + 1n, -MAX_NANO_USD - 1n, 5 as unknown as bigint];
      const operations = amounts.map(
        (amount): Operation =>
          (target) =>
            target.adjust(adjustmentOf({ amount })),
      );
      return assertAllRefused(ledger, 'invalid_amount', operations);
    });
    for (const [name, operations] of Object.entries(OTHER_ARGUMENTS)) {
      test(`refuses ${name}`, ({ ledger }) => assertAllRefused(ledger, 'invalid_argument', operations));
    }
  });
}
