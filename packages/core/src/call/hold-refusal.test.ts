import { describe, expect, it } from 'vitest';
import type { BudgetRefused } from '../ledger/ledger.js';
import { type AskedLimits, admissionRefusal, holdRefusal } from './hold-refusal.js';

const ASKED: AskedLimits = {
  keyLimitReset: 'daily',
  keyMaxConcurrent: 3,
  organizationMaxConcurrent: 4,
  keyRateLimit: { requests: 2, periodMs: 60_000 },
  organizationRateLimit: { requests: 3, periodMs: 30_000 },
};
const FULL = { key: 2, organization: 3 };
const BUDGET = {
  status: 'refused',
  limit: 9n,
  usage: 8n,
  held: 1n,
  required: 2n,
  resetsAtMs: 7,
  fitsWithoutHolds: false,
} as const;

const rate = (scope: string, limit: number, periodSeconds: number, retryAfterSeconds: number) => ({
  reason: 'rate_limited',
  retryAfterMs: retryAfterSeconds * 1_000,
  details: { scope, limit, periodSeconds, retryAfterSeconds },
});
const slots = (scope: string, limit: number) => ({
  reason: 'concurrency_limited',
  retryAfterMs: 1_000,
  details: { scope, limit },
});

describe('the refusal of a hold', () => {
  it.each([
    ['key_concurrency', slots('key', 3)],
    ['organization_concurrency', slots('organization', 4)],
    ['key_rate', rate('key', 2, 60, 30)],
    ['organization_rate', rate('organization', 3, 30, 10)],
  ] as const)('by %s names the owner of the limit, and the wait', (by, expected) => {
    expect(holdRefusal({ status: 'refused', by, ratesUsed: FULL }, ASKED)).toMatchObject(expected);
  });

  it('asks for a wait in whole seconds, and at least one', () => {
    const secondsAt = (used: number) =>
      admissionRefusal({ status: 'refused', by: 'key_rate', ratesUsed: { key: used, organization: null } }, ASKED)
        .details;
    expect(secondsAt(0)).toMatchObject({ retryAfterSeconds: 1 });
    expect(secondsAt(1.01)).toMatchObject({ retryAfterSeconds: 1 });
    expect(secondsAt(1.05)).toMatchObject({ retryAfterSeconds: 2 });
  });

  it('treats a rate as used up when the ledger does not report its use', () => {
    const refused = { status: 'refused', by: 'organization_rate' } as const;
    expect(admissionRefusal(refused, ASKED)).toMatchObject(rate('organization', 3, 30, 10));
  });

  it('is a bug of the ledger when it names a rate that it was not given', () => {
    expect(() => admissionRefusal({ status: 'refused', by: 'key_rate' }, {})).toThrow('a rate of the key');
  });

  it.each<[string, Partial<BudgetRefused>, object]>([
    ['the limit of the key', { by: 'key_limit' }, { reason: 'key_limit_reached', details: { limitReset: 'daily' } }],
    [
      'the credits, which never reset',
      { by: 'organization_credits' },
      { reason: 'organization_credits_exhausted', details: { limitReset: null } },
    ],
    [
      'what is in flight',
      { by: 'key_limit', fitsWithoutHolds: true },
      { reason: 'budget_in_flight', retryAfterMs: 1_000 },
    ],
  ])('by %s has the figures', (_, refused, expected) => {
    const refusal = holdRefusal({ ...BUDGET, by: 'key_limit', ...refused }, ASKED);
    expect(refusal).toMatchObject(expected);
    expect(refusal.details).toMatchObject({ limit: 9n, usage: 8n, required: 2n, resetsAtMs: 7 });
  });
});
