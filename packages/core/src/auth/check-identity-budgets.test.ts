import { describe, expect, it } from 'vitest';
import { apiKeyOf, checkStoredKey } from './check-identity.js';

const CALLER = { id: 'key-1', organizationId: 'acme' };
const STORED = {
  ...CALLER,
  label: 'demo',
  limit: null,
  limitReset: null,
  allowedModels: null,
  expiresAtMs: null,
  revokedAtMs: null,
  organizationSuspended: false,
};
const TEAM = { id: 'team:research', limit: '200.00', limitReset: 'monthly', mode: 'warn' } as const;
const KEPT = { ...TEAM, limit: 5n, isKept: true } as const;

const ofIdentity = (budgets: unknown) => apiKeyOf({ ...CALLER, budgets }).budgets;
const ofStored = (budgets: unknown) => checkStoredKey({ ...STORED, budgets })?.budgets;
const WAYS = [
  ['an identity', ofIdentity, TEAM],
  ['a stored key', ofStored, KEPT],
] as const;

describe('the budgets of an identity', () => {
  it('are copied, with their defaults', () => {
    const budgets = [TEAM, { id: 'user:ada', limit: null }, { id: 'b', limit: '0', limitReset: null, mode: 'enforce' }];
    expect(ofIdentity(budgets)).toEqual([
      { ...TEAM, limit: 200_000_000_000n, isKept: false },
      { id: 'user:ada', limit: null, limitReset: null, mode: 'enforce', isKept: false },
      { id: 'b', limit: 0n, limitReset: null, mode: 'enforce', isKept: false },
    ]);
  });

  it.each<[string, object, string]>([
    ['limit', { id: 'a' }, 'nothing'],
    ['limit', { ...TEAM, limit: 5 }, '5'],
    ['limit', { ...TEAM, limit: 5n }, '5n'],
    ['limit', { ...TEAM, limit: '-1' }, '"-1"'],
    ['limits', { ...TEAM, limits: '1' }, 'an unknown field'],
    ['isKept', { ...TEAM, isKept: true }, 'an unknown field'],
    ['mode', { ...TEAM, mode: null }, 'null'],
  ])('are refused with a wrong %s: %o', (field, budget, found) => {
    expect(() => ofIdentity([budget])).toThrow(`budgets[0].${field}: found ${found}, expected `);
  });
});

describe('the budgets of a stored key', () => {
  it('are copied without what the store keeps besides', () => {
    expect(ofStored([{ ...KEPT, organizationId: 'acme' }])).toEqual([KEPT]);
    expect(ofStored([{ ...KEPT, isKept: undefined }])).toEqual([{ ...KEPT, isKept: false }]);
  });

  it.each(['id', 'limit', 'limitReset', 'mode'])('are refused without %s, which has no safe default', (field) => {
    expect(() => ofStored([{ ...KEPT, [field]: undefined }])).toThrow(`budgets[0].${field}: found nothing, expected `);
  });

  it('are refused with a limit as text', () => {
    expect(() => ofStored([{ ...KEPT, limit: '5' }])).toThrow('budgets[0].limit: found "5", expected a bigint');
  });
});

describe.each(WAYS)('the budgets of %s', (_name, budgetsOf, budget) => {
  it.each([[undefined], [null], [[]]])('are absent for %o', (none) => {
    expect(budgetsOf(none)).toBeUndefined();
  });

  it('are at most four', () => {
    const many = (length: number) => Array.from({ length }, (_, index) => ({ ...budget, id: `b${index}` }));
    expect(budgetsOf(many(4))).toHaveLength(4);
    expect(() => budgetsOf(many(5))).toThrow('budgets: found an array of 5, expected at most 4 budgets');
  });

  it('have each id once', () => {
    const twice = [budget, { ...budget, id: 'other' }, budget];
    expect(() => budgetsOf(twice)).toThrow('budgets[2].id: found "team:research", expected an id that no other');
  });

  it.each([{}, 'team:research', 5, new Set([TEAM]), { 0: TEAM, length: 1 }])('are refused as %o', (value) => {
    expect(() => budgetsOf(value)).toThrow(/^budgets: found .*, expected an array of at most 4 budgets$/);
  });

  it.each([null, undefined, 'team:research', [TEAM], 5])('have no %o among them', (value) => {
    expect(() => budgetsOf([budget, value])).toThrow(/^budgets\[1\]: found .*, expected an object$/);
  });

  it('have no gap among them', () => {
    const sparse: unknown[] = [];
    sparse[1] = budget;
    expect(() => budgetsOf(sparse)).toThrow('budgets[0]: found nothing');
  });

  it.each<[string, unknown]>([
    ['id', 'a'.repeat(10_000)],
    ['id', 'a'.repeat(129)],
    ['id', 'two words'],
    ['id', '..'],
    ['id', 5],
    ['limitReset', 'hourly'],
    ['mode', 'soft'],
    ['mode', true],
    ['mode', ['warn']],
  ])('are refused with a wrong %s', (field, value) => {
    const refused = () => budgetsOf([{ ...budget, [field]: value }]);
    expect(refused).toThrow(new RegExp(`^budgets\\[0\\]\\.${field}: found .{1,200}, expected .{1,200}$`));
  });
});
