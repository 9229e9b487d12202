import { describe, expect, it } from 'vitest';
import { entryOfFields } from './entry-fields.js';

/** A charge in the order of ENTRY_FIELDS. */
const charge = (served: string, detail: string) =>
  entryOfFields(['charge', 'call-1', 'acme', 'key-1', '7', '5', '5', served, 'exa', detail]);

describe('entryOfFields', () => {
  it.each([
    ['key-1', { keyId: 'key-1' }],
    ['key-1 a b', { keyId: 'key-1', budgets: ['a', 'b'] }],
    [' a', { keyId: null, budgets: ['a'] }],
    ['', { keyId: null }],
  ])('reads the key and the budgets of %j', (owners, expected) => {
    const entry = entryOfFields(['adjustment', 'one', 'acme', owners, '7', '5', '5', '', '', '']);
    expect(entry).toEqual({
      kind: 'adjustment',
      id: 'one',
      organizationId: 'acme',
      amount: 7n,
      atMs: 5,
      note: '',
      ...expected,
    });
  });

  it.each([
    ['exa/answer', 'exa/answer', undefined],
    ['exa/answer\nteam-a', 'exa/answer', 'team-a'],
    ['two\nlines\nteam-a', 'two\nlines', 'team-a'],
    ['two\nlines\n', 'two\nlines', undefined],
  ])('reads the model and the tag of %j', (served, model, tag) => {
    const { model: readModel, tag: readTag } = charge(served, 'flat') as { model?: string; tag?: string };
    expect([readModel, readTag]).toEqual([model, tag]);
  });

  it.each([
    ['flat', { costSource: 'flat' }],
    ['flat late', { costSource: 'flat', late: true }],
    ['flat 3', { costSource: 'flat', upstreamCost: 3n }],
    ['flat late 3', { costSource: 'flat', late: true, upstreamCost: 3n }],
    ['flat 0 9', { costSource: 'flat', upstreamCost: 0n, tenantCost: 9n }],
    ['flat late 0 9', { costSource: 'flat', late: true, upstreamCost: 0n, tenantCost: 9n }],
    ['flat -0 9', { costSource: 'flat', late: false, tenantCost: 9n }],
  ])('reads how a charge came about of %j', (detail, expected) => {
    expect(charge('exa/answer', detail)).toMatchObject(expected);
  });
});
