import type { HoldRequest } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import type { Scripts } from '../engine/scripts.js';
import type { Script } from '../lua/opening.js';
import { EXPIRE } from '../scripts/expire-script.js';
import { HOLD, RELEASE, SETTLE } from '../scripts/hold-scripts.js';
import { PACK } from '../scripts/pack-script.js';
import { ADMIT, RATES_USED } from '../scripts/rate-scripts.js';
import { KEY_TOTALS, ORGANIZATION_TOTALS } from '../scripts/totals-scripts.js';
import { ADJUST, FIND_HOLD, GRANT, packSums, redisMoney } from './redis-money.js';

/** Scripts that give these replies, and then more of the last one. */
function moneyOf(...replies: string[][]) {
  const asked: [script: Script, values: readonly string[]][] = [];
  const scripts: Scripts = {
    async run(script, values) {
      asked.push([script, values]);
      return (replies.length > 1 ? replies.shift() : replies[0]) ?? [];
    },
  };
  return { money: redisMoney(scripts, 500), scripts, asked };
}

const OWNER = { organizationId: 'acme', keyId: 'key-1' };
const RATE = { requests: 10, periodMs: 60_000 };
const LOSS = { model: 'exa/search', provider: 'exa', cost: 3n, reason: 'timeout' };
const HELD: HoldRequest = { ...OWNER, holdId: 'h', keyLimit: null, amount: 9n, expiresAtMs: 7, model: 'exa/answer' };

describe('a grant and an adjustment', () => {
  it.each([
    ['1', true],
    ['0', false],
  ])('whose script says %s is applied: %s', async (reply, applied) => {
    const { money, asked } = moneyOf([reply]);
    expect(await money.grant({ grantId: 'g', organizationId: 'acme', amount: 5n, note: 'n' })).toEqual({ applied });
    const adjustment = { adjustmentId: 'a', organizationId: 'acme', amount: -5n, note: 'n' };
    expect(await money.adjust(adjustment)).toEqual({ applied });
    await money.adjust({ ...adjustment, keyId: 'key-1' });
    expect(asked).toEqual([
      [GRANT, ['g', 'acme', '5', 'n']],
      [ADJUST, ['a', 'acme', '', '-5', 'n']],
      [ADJUST, ['a', 'acme', 'key-1', '-5', 'n']],
    ]);
  });
});

describe('a hold', () => {
  it.each<[string, Partial<HoldRequest>, string[]]>([
    ['without a limit', { keyLimitReset: 'daily' }, ['', '', '7', 'exa/answer', '', '1 - - - -', '9']],
    ['within a limit', { keyLimit: 0n }, ['0', '', '7', 'exa/answer', '', '1 - - - -', '9']],
    [
      'within a limit that starts over',
      { keyLimit: 20n, keyLimitReset: 'weekly' },
      ['20', 'weekly', '7', 'exa/answer', '', '1 - - - -', '9'],
    ],
    [
      'with all there is',
      {
        tag: 'team-a',
        acceptableAmounts: [8n, 6n],
        usesSlot: false,
        keyMaxConcurrent: 4,
        organizationMaxConcurrent: 40,
        keyRateLimit: RATE,
        organizationRateLimit: { requests: 5, periodMs: 1_000 },
      },
      ['', '', '7', 'exa/answer', 'team-a', '0 4 40 10/60000 5/1000', '9', '8', '6'],
    ],
  ])('%s is asked for by its values', async (_what, changes, values) => {
    const { money, asked } = moneyOf(['held', '9']);
    await money.hold({ ...HELD, ...changes });
    expect(asked).toEqual([[HOLD, ['h', 'acme', 'key-1', ...values]]]);
  });

  it.each<[string[], object]>([
    [['held', '9'], { status: 'held', amount: 9n }],
    [['held', '9', '', ''], { status: 'held', amount: 9n }],
    [['held', '8', '3@5', ''], { status: 'held', amount: 8n, ratesUsed: { key: 3, organization: null } }],
    [['held', '8', '', '4@5'], { status: 'held', amount: 8n, ratesUsed: { key: null, organization: 4 } }],
    [['refused', 'key_concurrency'], { status: 'refused', by: 'key_concurrency' }],
    [['refused', 'organization_concurrency'], { status: 'refused', by: 'organization_concurrency' }],
    [
      ['refused', 'key_rate', '10@5', ''],
      { status: 'refused', by: 'key_rate', ratesUsed: { key: 10, organization: null } },
    ],
    [
      ['refused', 'organization_rate', '', '10@5'],
      { status: 'refused', by: 'organization_rate', ratesUsed: { key: null, organization: 10 } },
    ],
    [
      ['refused', 'key_limit', '', '', '20', '15', '2', '99', '0'],
      {
        status: 'refused',
        by: 'key_limit',
        limit: 20n,
        usage: 15n,
        held: 2n,
        required: 9n,
        resetsAtMs: 99,
        fitsWithoutHolds: false,
      },
    ],
    [
      ['refused', 'organization_credits', '1@5', '2@5', '20', '15', '2', '', '1'],
      {
        status: 'refused',
        by: 'organization_credits',
        limit: 20n,
        usage: 15n,
        held: 2n,
        required: 9n,
        resetsAtMs: null,
        fitsWithoutHolds: true,
        ratesUsed: { key: 1, organization: 2 },
      },
    ],
  ])('is what the script says: %j', async (reply, expected) => {
    expect(await moneyOf(reply).money.hold(HELD)).toEqual(expected);
  });

  it('needs the smallest of its amounts', async () => {
    const { money } = moneyOf(['refused', 'key_limit', '', '', '1', '1', '1', '', '0']);
    expect(await money.hold({ ...HELD, acceptableAmounts: [8n, 6n] })).toMatchObject({ required: 6n });
  });
});

describe('an admission', () => {
  const request = { ...OWNER, keyRateLimit: RATE };

  it.each<[string[], object]>([
    [['admitted', '3@5', ''], { status: 'admitted', ratesUsed: { key: 3, organization: null } }],
    [['admitted'], { status: 'admitted', ratesUsed: { key: null, organization: null } }],
    [['key_rate', '', '12@5'], { status: 'refused', by: 'key_rate', ratesUsed: { key: null, organization: 12 } }],
  ])('is what the script says: %j', async (reply, expected) => {
    const { money, asked } = moneyOf(reply);
    expect(await money.admit(request)).toEqual(expected);
    expect(asked).toEqual([[ADMIT, ['acme', 'key-1', '1 - - 10/60000 -']]]);
  });

  it('can be asked for what is used', async () => {
    const { money, asked } = moneyOf(['3@5', '4@5']);
    expect(await money.ratesUsed({ ...request, organizationRateLimit: RATE })).toEqual({ key: 3, organization: 4 });
    expect(asked).toEqual([[RATES_USED, ['acme', 'key-1', '1 - - 10/60000 10/60000']]]);
  });
});

describe('an ending', () => {
  const CHARGE = { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;

  it.each([
    ['of which nothing is known', {}, ['']],
    ['of which nothing is owed', { upstreamCost: 0n }, ['0']],
    ['with losses', { upstreamCost: 5n, losses: [LOSS] }, ['5', '500', 'exa/search', 'exa', '3', 'timeout']],
  ])('by a charge %s is sent with all of it', async (_what, changes, [owed = '', ...rest]) => {
    const { money, asked } = moneyOf(['settled', '7', '1']);
    expect(await money.settle('h', { ...CHARGE, ...changes })).toEqual({ status: 'settled', cost: 7n, first: true });
    const behind = rest.length === 0 ? ['500'] : rest;
    expect(asked).toEqual([[SETTLE, ['h', '7', 'exa/answer', 'exa', 'flat', owed, ...behind]]]);
  });

  it.each([
    ['nothing that was lost', {}, []],
    [
      'each loss',
      { losses: [LOSS, { ...LOSS, cost: 4n }] },
      ['exa/search', 'exa', '3', 'timeout', 'exa/search', 'exa', '4', 'timeout'],
    ],
  ])('without one is sent with %s', async (_what, changes, losses) => {
    const { money, asked } = moneyOf(['released', '0', '0']);
    const ending = await money.release('h', { reason: 'failed', ...changes });
    expect(ending).toEqual({ status: 'released', cost: 0n, first: false });
    expect(asked).toEqual([[RELEASE, ['h', '500', ...losses]]]);
  });
});

describe('totals', () => {
  it('are the figures of their scripts', async () => {
    const { money, asked } = moneyOf(['30', '20', '10', '86400000']);
    expect(await money.organizationTotals('acme')).toEqual({ credits: 30n, usage: 20n, held: 10n });
    expect(await money.keyTotals('key-1', 'daily')).toEqual({
      usage: 30n,
      held: 20n,
      windowUsage: 10n,
      resetsAtMs: 86_400_000,
    });
    await money.keyTotals('key-1', null);
    expect(asked).toEqual([
      [ORGANIZATION_TOTALS, ['acme']],
      [KEY_TOTALS, ['key-1', 'daily']],
      [KEY_TOTALS, ['key-1', '']],
    ]);
  });
});

describe('a hold that is looked for', () => {
  it.each<[string[], object | undefined]>([
    [[], undefined],
    [
      ['open', '0', 'acme', 'key-1', 'exa/answer', '', '5', ''],
      {
        ...OWNER,
        holdId: 'h',
        status: 'open',
        cost: 0n,
        model: 'exa/answer',
        provider: null,
        createdAtMs: 5,
        endedAtMs: null,
      },
    ],
    [
      ['settled', '7', 'acme', 'key-1', 'exa/answer', 'exa', '5', '6'],
      {
        ...OWNER,
        holdId: 'h',
        status: 'settled',
        cost: 7n,
        model: 'exa/answer',
        provider: 'exa',
        createdAtMs: 5,
        endedAtMs: 6,
      },
    ],
  ])('is what the script says: %j', async (reply, expected) => {
    const { money, asked } = moneyOf(reply);
    expect(await money.findHold('h')).toEqual(expected);
    expect(asked).toEqual([[FIND_HOLD, ['h']]]);
  });
});

describe('a sweep', () => {
  it.each([
    ['where nothing is due', [['0', '0'], ['done']], 0, [EXPIRE, PACK]],
    ['where less is due than it ends at once', [['99', '98'], ['done']], 98, [EXPIRE, PACK]],
    [
      'as long as all it may end at once is due, also where others end it',
      [['100', '100'], ['100', '0'], ['3', '3'], ['more'], ['done']],
      103,
      [EXPIRE, EXPIRE, EXPIRE, PACK, PACK],
    ],
  ])('ends holds, then packs sums, %s', async (_when, replies, ended, scripts) => {
    const { money, asked } = moneyOf(...replies);
    expect(await money.expireHolds(12)).toBe(ended);
    expect(asked.map(([script]) => script)).toEqual(scripts);
    expect(asked[0]?.[1]).toEqual(['12', '100', '500']);
    expect(asked.at(-1)?.[1]).toEqual([]);
  });

  it('leaves sums to the next one where there are too many', async () => {
    const { money, asked } = moneyOf(['0', '0'], ['more']);
    await money.expireHolds(12);
    expect(asked).toHaveLength(1 + 200);
  });

  it.each([
    [3, [['more']], 3],
    [3, [['more'], ['done']], 2],
    [3, [[]], 1],
    [0, [['more']], 0],
  ])('packs by at most %d scripts', async (most, replies, scripts) => {
    const { scripts: given, asked } = moneyOf(...replies);
    await packSums(given, most);
    expect(asked).toHaveLength(scripts);
  });
});
