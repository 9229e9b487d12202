import type { HoldRequest } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import {
  adjustOperation,
  admitOperation,
  grantOperation,
  holdOperation,
  type MoneyAnswer,
  releaseOperation,
  settleOperation,
} from './money-operations.js';

const OWNER = { organizationId: 'acme', keyId: 'key-1' };
const RATE = { requests: 10, periodMs: 60_000 };
const LOSS = { model: 'exa/search', provider: 'exa', cost: 3n, reason: 'timeout' };
const CHARGE = { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;
const HELD: HoldRequest = { ...OWNER, holdId: 'h', keyLimit: null, amount: 9n, expiresAtMs: 7, model: 'exa/answer' };
const GRANT = { grantId: 'g', organizationId: 'acme', amount: 5n, note: 'n' };
const ADJUSTMENT = { adjustmentId: 'a', organizationId: 'acme', amount: -5n, note: 'n' };

/** As it is sent: without what is undefined. */
const sentOf = ({ json }: { readonly json: object }) => JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
const TOKEN = { token: expect.stringMatching(/^[\da-f-]{36}$/) };

describe('an operation', () => {
  it.each<[string, { readonly json: object }, object]>([
    [
      'a grant',
      grantOperation(GRANT),
      { ...TOKEN, operation: 'grant', id: 'g', organization_id: 'acme', amount: '5', note: 'n' },
    ],
    [
      'an adjustment',
      adjustOperation(ADJUSTMENT),
      { ...TOKEN, operation: 'adjust', id: 'a', organization_id: 'acme', amount: '-5', note: 'n' },
    ],
    [
      'an adjustment of a key',
      adjustOperation({ ...ADJUSTMENT, keyId: 'key-1' }),
      { ...TOKEN, operation: 'adjust', id: 'a', organization_id: 'acme', key_id: 'key-1', amount: '-5', note: 'n' },
    ],
    [
      'a hold',
      holdOperation({
        ...HELD,
        keyRateLimit: null,
        keyMaxConcurrent: null,
        keyLimitReset: null,
        acceptableAmounts: [],
      }),
      {
        ...TOKEN,
        operation: 'hold',
        id: 'h',
        organization_id: 'acme',
        key_id: 'key-1',
        amount: '9',
        time_ms: 7,
        model: 'exa/answer',
      },
    ],
    [
      'a hold with all there is',
      holdOperation({
        ...HELD,
        keyLimit: 0n,
        keyLimitReset: 'daily',
        acceptableAmounts: [8n, 6n],
        usesSlot: false,
        keyMaxConcurrent: 4,
        organizationMaxConcurrent: 40,
        keyRateLimit: RATE,
        organizationRateLimit: { requests: 5, periodMs: 1_000 },
        tag: 'team-a',
      }),
      {
        ...TOKEN,
        operation: 'hold',
        id: 'h',
        organization_id: 'acme',
        key_id: 'key-1',
        organization_rate: { requests: 5, period_ms: 1_000 },
        key_rate: { requests: 10, period_ms: 60_000 },
        key_max_concurrent: 4,
        organization_max_concurrent: 40,
        takes_place: false,
        amount: '9',
        smaller_amounts: ['8', '6'],
        key_limit: '0',
        key_limit_reset: 'daily',
        time_ms: 7,
        model: 'exa/answer',
        tag: 'team-a',
      },
    ],
    [
      'an admission',
      admitOperation({ ...OWNER, keyRateLimit: RATE }),
      {
        operation: 'admit',
        organization_id: 'acme',
        key_id: 'key-1',
        key_rate: { requests: 10, period_ms: 60_000 },
      },
    ],
    [
      'a charge',
      settleOperation('h', { ...CHARGE, losses: [] }),
      {
        ...TOKEN,
        operation: 'settle',
        id: 'h',
        amount: '7',
        model: 'exa/answer',
        provider: 'exa',
        cost_source: 'flat',
      },
    ],
    [
      'a charge with losses',
      settleOperation('h', { ...CHARGE, upstreamCost: 0n, losses: [LOSS] }),
      {
        ...TOKEN,
        operation: 'settle',
        id: 'h',
        amount: '7',
        model: 'exa/answer',
        provider: 'exa',
        cost_source: 'flat',
        upstream_cost: '0',
        losses: [{ amount: '3', model: 'exa/search', provider: 'exa', reason: 'timeout' }],
      },
    ],
    ['a release', releaseOperation('h', { reason: 'failed' }), { ...TOKEN, operation: 'release', id: 'h' }],
  ])('is sent with what it has: %s', (_what, operation, expected) => {
    expect(sentOf(operation)).toEqual(expected);
  });

  it('has a token of its own each time', () => {
    const tokens = Array.from({ length: 3 }, () => sentOf(grantOperation(GRANT))['token']);
    expect(new Set(tokens).size).toBe(3);
  });

  const READERS: [string, (answer: MoneyAnswer) => unknown][] = [
    ['a grant', grantOperation(GRANT).read],
    ['an adjustment', adjustOperation(ADJUSTMENT).read],
    ['a hold', holdOperation(HELD).read],
    ['a charge', settleOperation('h', CHARGE).read],
    ['a release', releaseOperation('h', { reason: 'failed' }).read],
  ];
  it.each(READERS)('is refused where counting it would pass the bound: %s', (_what, read) => {
    expect(() => read({ refused: 'invalid_amount' })).toThrow(
      expect.objectContaining({
        reason: 'invalid_amount',
        message: 'amount: counting it would pass 2^63 − 1 nanodollars',
      }),
    );
  });
});

describe('a grant and an adjustment', () => {
  it.each([
    [{ applied: true }, true],
    [{ applied: false }, false],
    [{}, false],
  ])('are what the answer says: %j', (answer, applied) => {
    expect(grantOperation(GRANT).read(answer)).toEqual({ applied });
    expect(adjustOperation(ADJUSTMENT).read(answer)).toEqual({ applied });
  });

  it('are refused by name where their ids were used for something else', () => {
    expect(() => grantOperation(GRANT).read({ refused: 'duplicate_grant' })).toThrow(
      expect.objectContaining({
        reason: 'duplicate_grant',
        message: 'grantId: "g" was used before with other arguments',
      }),
    );
    expect(() => adjustOperation(ADJUSTMENT).read({ refused: 'duplicate_adjustment' })).toThrow(
      expect.objectContaining({
        reason: 'duplicate_adjustment',
        message: 'adjustmentId: "a" was used before with other arguments',
      }),
    );
  });
});

describe('a hold', () => {
  const BUDGET = { limit: '20', usage: '15', held: '2', amount: '9', nowMs: Date.UTC(2026, 10, 21, 12) };
  const REFUSED = { status: 'refused', limit: 20n, usage: 15n, held: 2n, required: 9n };

  it.each<[string, MoneyAnswer, Partial<HoldRequest>, object]>([
    ['held', { amount: '8' }, {}, { status: 'held', amount: 8n }],
    ['held, with no one to refuse', { amount: '8', by: null, ratesUsed: null }, {}, { status: 'held', amount: 8n }],
    [
      'held, with the rates',
      { amount: '8', ratesUsed: { key: 1, organization: null } },
      {},
      { status: 'held', amount: 8n, ratesUsed: { key: 1, organization: null } },
    ],
    ['refused for its slots', { by: 'key_concurrency' }, {}, { status: 'refused', by: 'key_concurrency' }],
    [
      'refused for its rate',
      { by: 'key_rate', ratesUsed: { key: 10, organization: null } },
      {},
      { status: 'refused', by: 'key_rate', ratesUsed: { key: 10, organization: null } },
    ],
    [
      'refused for a limit',
      { ...BUDGET, by: 'key_limit' },
      {},
      { ...REFUSED, by: 'key_limit', resetsAtMs: null, fitsWithoutHolds: false },
    ],
    [
      'refused for a limit that starts over',
      { ...BUDGET, by: 'key_limit', fitsWithoutHolds: true },
      { keyLimitReset: 'daily' },
      { ...REFUSED, by: 'key_limit', resetsAtMs: Date.UTC(2026, 10, 22), fitsWithoutHolds: true },
    ],
    [
      'refused for credits, which never start over',
      { ...BUDGET, by: 'organization_credits' },
      { keyLimitReset: 'daily' },
      { ...REFUSED, by: 'organization_credits', resetsAtMs: null, fitsWithoutHolds: false },
    ],
  ])('is %s', (_what, answer, changes, expected) => {
    expect(holdOperation({ ...HELD, ...changes }).read(answer)).toEqual(expected);
  });

  it('is refused where its id was used before', () => {
    expect(() => holdOperation(HELD).read({ status: 'duplicate' })).toThrow(
      expect.objectContaining({ reason: 'duplicate_hold', message: 'holdId: "h" was used before' }),
    );
  });
});

describe('an admission', () => {
  const NONE = { key: null, organization: null };

  it.each<[MoneyAnswer, object]>([
    [{}, { status: 'admitted', ratesUsed: NONE }],
    [
      { by: null, ratesUsed: { key: 1, organization: 2 } },
      { status: 'admitted', ratesUsed: { key: 1, organization: 2 } },
    ],
    [
      { by: 'key_rate', ratesUsed: null },
      { status: 'refused', by: 'key_rate', ratesUsed: NONE },
    ],
    [{ by: 'organization_rate' }, { status: 'refused', by: 'organization_rate', ratesUsed: NONE }],
  ])('is what the answer says: %j', (answer, expected) => {
    expect(admitOperation(OWNER).read(answer)).toEqual(expected);
  });
});

describe('an ending', () => {
  const READERS = [settleOperation('h', CHARGE).read, releaseOperation('h', { reason: 'failed' }).read];

  it.each<[MoneyAnswer, object]>([
    [
      { status: 'settled', cost: '7', first: true },
      { status: 'settled', cost: 7n, first: true },
    ],
    [{ status: 'released' }, { status: 'released', cost: 0n, first: false }],
  ])('is what the answer says: %j', (answer, expected) => {
    for (const read of READERS) expect(read(answer)).toEqual(expected);
  });

  it('is refused for a hold that is not known', () => {
    for (const read of READERS)
      expect(() => read({ status: 'unknown' })).toThrow(
        expect.objectContaining({ reason: 'unknown_hold', message: 'holdId: no hold "h" is known' }),
      );
  });
});
