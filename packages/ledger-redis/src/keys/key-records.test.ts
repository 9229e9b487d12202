import type { ApiKeyChange } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { KEY_FIELDS } from '../scripts/key-scripts.js';
import { changesOfKey, changesOfOrganization } from './key-records.js';

const placeOf = (field: string) => `${KEY_FIELDS.indexOf(field as (typeof KEY_FIELDS)[number])}`;

describe('a change', () => {
  it('has the place and the text of each field, an amount as text in JSON', () => {
    expect(changesOfKey({ limit: 5n, maxConcurrent: 3 })).toEqual([
      placeOf('limit'),
      '"5"',
      placeOf('maxConcurrent'),
      '3',
    ]);
    expect(changesOfOrganization({ name: 'Acme' })).toHaveLength(2);
  });

  it('reaches the first field of a record', () => {
    expect(changesOfKey({ [KEY_FIELDS[0]]: 'x' } as ApiKeyChange)[0]).toBe('0');
  });

  it('leaves out what is undefined, and fields that no record has', () => {
    expect(changesOfKey({ label: undefined, color: 'red' } as unknown as ApiKeyChange)).toEqual([]);
  });
});
