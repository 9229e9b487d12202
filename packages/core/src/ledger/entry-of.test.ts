import { expect, it } from 'vitest';
import { entryOf, type StoredEntry } from './entry-of.js';
import type { LedgerEntry } from './ledger-entry.js';

const BASE = { id: 'hold-1', organizationId: 'acme', amount: 5n, atMs: 1 };
const SERVED = { model: 'exa/answer', provider: 'exa' };
const OTHERS = { keyId: 'key-1', comment: 'why', costSource: 'flat', late: true };
const STORED: StoredEntry = { kind: 'charge', ...BASE, ...SERVED, ...OTHERS };

it.each<LedgerEntry>([
  { kind: 'grant', ...BASE, keyId: null, note: 'why' },
  { kind: 'adjustment', ...BASE, keyId: 'key-1', note: 'why' },
  { kind: 'charge', ...BASE, keyId: 'key-1', ...SERVED, costSource: 'flat', late: true },
  { kind: 'loss', ...BASE, keyId: 'key-1', ...SERVED, reason: 'why' },
  { kind: 'expired', ...BASE, keyId: 'key-1', model: 'exa/answer' },
])('gives an entry of the kind $kind its fields', (entry) => {
  expect(entryOf({ ...STORED, kind: entry.kind })).toEqual(entry);
});

it('gives a tag only to a charge and a loss', () => {
  const tagged = (kind: string) => entryOf({ ...STORED, kind, tag: 'team-a' });
  for (const kind of ['charge', 'loss']) expect(tagged(kind)).toMatchObject({ tag: 'team-a' });
  for (const kind of ['grant', 'adjustment', 'expired']) expect(tagged(kind)).not.toHaveProperty('tag');
  expect(entryOf({ ...STORED, tag: null })).not.toHaveProperty('tag');
});

it('reads an adjustment of an organization without a key', () => {
  expect(entryOf({ ...STORED, kind: 'adjustment', keyId: null })).toMatchObject({ keyId: null });
});

it('refuses entries that no ledger writes', () => {
  expect(() => entryOf({ ...STORED, kind: 'gift' })).toThrow('a kind this package does not know: gift');
  expect(() => entryOf({ ...STORED, provider: null })).toThrow('the charge entry "hold-1" has no provider');
});
