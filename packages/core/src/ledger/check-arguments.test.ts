import { describe, expect, it } from 'vitest';
import { LEDGER_CHECKS } from './check-arguments.js';
import { type HoldRequest, MAX_ACCEPTABLE_AMOUNTS } from './ledger.js';

const GRANT = { grantId: 'grant', organizationId: 'acme', amount: 5n, note: 'Trial.' };
const ADJUSTMENT = { adjustmentId: 'a', organizationId: 'acme', keyId: 'key', amount: -5n, note: 'Refund.' };
const HOLD: HoldRequest = {
  holdId: 'hold',
  organizationId: 'acme',
  keyId: 'key',
  keyLimit: null,
  keyLimitReset: null,
  amount: 100n,
  acceptableAmounts: [50n, 10n],
  expiresAtMs: 0,
  model: 'exa/answer',
};
const LOSS = { model: 'exa/answer', provider: 'exa', cost: 1n, reason: 'upstream_error' };
const CHARGE = { cost: 5n, model: 'exa/answer', provider: 'exa', costSource: 'flat', losses: [LOSS] } as const;
const RELEASE = { reason: 'upstream_error', losses: [LOSS] };

const [ID, AMOUNT, ARGUMENT] = ['invalid_id', 'invalid_amount', 'invalid_argument'] as const;
const smaller = (count: number) => Array.from({ length: count }, (_, index) => BigInt(99 - index));
const refused = (reason: string, name: string) =>
  expect.objectContaining({
    reason,
    message: expect.stringMatching(new RegExp(`^${name.replace(/[[\].]/g, '\\$&')}: found `)),
  });

/** Each changes one argument to a wrong one. By default the name in the message is that of the argument. */
type Wrong = [argument: string, value: unknown, code: string, name?: string];

const OPERATIONS: [operation: string, check: (changes: object) => void, wrong: Wrong[]][] = [
  [
    'a grant',
    (changes) => LEDGER_CHECKS.grant({ ...GRANT, ...changes }),
    [
      ['grantId', '', ID],
      ['organizationId', 'a b', ID],
      ['amount', -1n, AMOUNT],
      ['note', '\0', ARGUMENT],
    ],
  ],
  [
    'an adjustment',
    (changes) => LEDGER_CHECKS.adjust({ ...ADJUSTMENT, ...changes }),
    [
      ['adjustmentId', '', ID],
      ['organizationId', 'a b', ID],
      ['keyId', '', ID],
      ['amount', -(2n ** 62n) - 1n, AMOUNT],
      ['amount', 2n ** 62n + 1n, AMOUNT],
      ['amount', 5, AMOUNT],
      ['note', 5, ARGUMENT],
    ],
  ],
  [
    'a hold',
    (changes) => LEDGER_CHECKS.hold({ ...HOLD, ...changes }),
    [
      ['holdId', '', ID],
      ['organizationId', '', ID],
      ['keyId', '', ID],
      ['keyLimit', -1n, AMOUNT],
      ['keyLimitReset', 'hourly', ARGUMENT],
      ['amount', 5, AMOUNT],
      ['acceptableAmounts', 5n, ARGUMENT],
      ['acceptableAmounts', smaller(MAX_ACCEPTABLE_AMOUNTS + 1), ARGUMENT],
      ['acceptableAmounts', [100n], ARGUMENT, 'acceptableAmounts[0]'],
      ['acceptableAmounts', [50n, 50n], ARGUMENT, 'acceptableAmounts[1]'],
      ['acceptableAmounts', [50n, -1n], AMOUNT, 'acceptableAmounts[1]'],
      ['expiresAtMs', -1, ARGUMENT],
      ['model', '\0', ARGUMENT],
      ['tag', '', ARGUMENT],
      ['tag', 'x'.repeat(65), ARGUMENT],
      ['tag', ' padded', ARGUMENT],
      ['tag', 'line\nbreak', ARGUMENT],
      ['tag', 5, ARGUMENT],
    ],
  ],
  [
    'a settle',
    ({ holdId = 'hold', ...changes }: { holdId?: string }) => LEDGER_CHECKS.settle(holdId, { ...CHARGE, ...changes }),
    [
      ['holdId', '', ID],
      ['cost', -1n, AMOUNT],
      ['model', 5, ARGUMENT],
      ['provider', 5, ARGUMENT],
      ['costSource', 'guessed', ARGUMENT],
      ['losses', 5, ARGUMENT],
      ['losses', [LOSS, { ...LOSS, cost: 5 }], AMOUNT, 'losses[1].cost'],
      ['losses', [{ ...LOSS, model: 5 }], ARGUMENT, 'losses[0].model'],
      ['losses', [{ ...LOSS, provider: 5 }], ARGUMENT, 'losses[0].provider'],
      ['losses', [{ ...LOSS, reason: 5 }], ARGUMENT, 'losses[0].reason'],
    ],
  ],
  [
    'a release',
    ({ holdId = 'hold', ...changes }: { holdId?: string }) => LEDGER_CHECKS.release(holdId, { ...RELEASE, ...changes }),
    [
      ['holdId', '', ID],
      ['reason', 5, ARGUMENT],
      ['losses', [{ ...LOSS, cost: -1n }], AMOUNT, 'losses[0].cost'],
    ],
  ],
  [
    'a query of entries',
    (changes) => void LEDGER_CHECKS.entries(changes),
    [
      ['organizationId', '', ID],
      ['keyId', '', ID],
      ['fromMs', -1, ARGUMENT],
      ['toMs', -1, ARGUMENT],
      ['limit', 0, ARGUMENT],
    ],
  ],
  [
    'a query of usage',
    (changes) => void LEDGER_CHECKS.usage({ by: 'day', ...changes }),
    [
      ['by', 'week', ARGUMENT],
      ['organizationId', '', ID],
      ['keyId', '', ID],
      ['fromDay', -1, ARGUMENT],
      ['toDay', 0.5, ARGUMENT],
      ['toDay', 2_932_897, ARGUMENT],
      ['after', '\0', ARGUMENT],
      ['limit', 1_001, ARGUMENT],
    ],
  ],
];

describe.each(OPERATIONS)('the arguments of %s', (_operation, check, wrong) => {
  it('are accepted if valid', () => {
    expect(() => check({})).not.toThrow();
  });

  it.each(wrong)('are refused with a wrong %s: %o', (argument, value, code, name = argument) => {
    expect(() => check({ [argument]: value })).toThrow(refused(code, name));
  });
});

describe('the arguments of a ledger', () => {
  it('may reach their bounds, and omit optional fields', () => {
    const holds = [
      { ...HOLD, acceptableAmounts: smaller(MAX_ACCEPTABLE_AMOUNTS) },
      { ...HOLD, tag: 'x'.repeat(64) },
      { ...HOLD, tag: '\u{1f4b6} costs' },
      { ...HOLD, acceptableAmounts: undefined, keyLimitReset: undefined, keyLimit: 0n },
    ];
    for (const hold of holds) expect(() => LEDGER_CHECKS.hold(hold)).not.toThrow();
    for (const amount of [-(2n ** 62n), 0n, 2n ** 62n]) {
      expect(() => LEDGER_CHECKS.adjust({ ...ADJUSTMENT, keyId: undefined, amount })).not.toThrow();
    }
    for (const costSource of ['reported', 'computed', 'flat', 'ceiling', 'cached', 'shared'] as const) {
      expect(() => LEDGER_CHECKS.settle('hold', { ...CHARGE, costSource, losses: undefined })).not.toThrow();
    }
    expect(() => LEDGER_CHECKS.release('hold', { reason: 'expired' })).not.toThrow();
  });

  it.each([
    [
      () => LEDGER_CHECKS.settle('hold', { ...CHARGE, costSource: 'guessed' as never }),
      'reported, computed, flat, ceiling, cached, shared',
    ],
    [() => LEDGER_CHECKS.settle('hold', { ...CHARGE, losses: 5 as never }), 'an array'],
    [
      () => LEDGER_CHECKS.hold({ ...HOLD, acceptableAmounts: 5n as never }),
      `at most ${MAX_ACCEPTABLE_AMOUNTS} amounts`,
    ],
    [() => LEDGER_CHECKS.hold({ ...HOLD, acceptableAmounts: [100n] }), 'less than the amount before it'],
  ])('are refused with what was expected: %s', (check, expected) => {
    expect(check).toThrow(`, expected ${expected}`);
  });

  it('get the page size of a query of entries', () => {
    expect(LEDGER_CHECKS.entries()).toEqual([{ limit: 100 }]);
    expect(LEDGER_CHECKS.entries({ keyId: 'key', limit: 7 })).toEqual([{ keyId: 'key', limit: 7 }]);
  });

  it('get the page size of a query of usage, for any days', () => {
    for (const by of ['organization', 'key', 'model', 'tag', 'day'] as const) {
      expect(LEDGER_CHECKS.usage({ by, fromDay: 0, toDay: 2_932_896, after: '' })[0].limit).toBe(100);
    }
    expect(LEDGER_CHECKS.usage({ by: 'day', limit: 7 })).toEqual([{ by: 'day', limit: 7 }]);
  });
});
