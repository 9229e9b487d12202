import type { ApiKeyChange } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { KEY_FIELDS } from '../scripts/key-scripts.js';
import { KEYS, ORGANIZATIONS } from './key-records.js';

const placeOf = (field: string) => `${KEY_FIELDS.indexOf(field as (typeof KEY_FIELDS)[number])}`;

describe('a change', () => {
  it('has the place and the text of each field, an amount as text in JSON', () => {
    expect(KEYS.changes({ limit: 5n, maxConcurrent: 3 })).toEqual([
      placeOf('limit'),
      '"5"',
      placeOf('maxConcurrent'),
      '3',
    ]);
    expect(ORGANIZATIONS.changes({ name: 'Acme' })).toHaveLength(2);
  });

  it('reaches the first field of a record', () => {
    expect(KEYS.changes({ [KEY_FIELDS[0]]: 'x' })[0]).toBe('0');
  });

  it('leaves out what is undefined, and fields that no record has', () => {
    expect(KEYS.changes({ label: undefined, color: 'red' } as unknown as ApiKeyChange)).toEqual([]);
  });
});
