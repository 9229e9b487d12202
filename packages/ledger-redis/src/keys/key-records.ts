import type { ApiKeyRecord, Budget, Organization } from '@searchgate/core/ledger';
import { BUDGET_FIELDS, FIELD_END, KEY_FIELDS, ORGANIZATION_FIELDS, RAW_FIELDS } from '../scripts/key-scripts.js';

export const KEYS = recordsOf<ApiKeyRecord>(KEY_FIELDS);
export const ORGANIZATIONS = recordsOf<Organization>(ORGANIZATION_FIELDS);
export const BUDGETS = recordsOf<Budget>(BUDGET_FIELDS);

/** A record as one text: its fields in order, values as JSON, in which amounts are decimal texts. */
function recordsOf<R extends object>(fields: readonly (string & keyof R)[]) {
  return {
    write: (record: R): string => fields.map((field) => textOf(field, record[field])).join(FIELD_END),
    /** For every field that changes its place in the record, counted from 0, and its text. */
    changes: (change: Partial<R>): string[] =>
      fields.flatMap((field, place) => (change[field] === undefined ? [] : [`${place}`, textOf(field, change[field])])),
    parse(text: string): R {
      const texts = text.split(FIELD_END);
      return Object.fromEntries(fields.map((field, place) => [field, valueOf(field, texts[place] ?? 'null')])) as R;
    },
  };
}

function textOf(field: string, value: unknown): string {
  return RAW_FIELDS.has(field) ? String(value) : JSON.stringify(typeof value === 'bigint' ? `${value}` : value);
}

function valueOf(field: string, text: string): unknown {
  if (RAW_FIELDS.has(field)) return text;
  const value = JSON.parse(text) as unknown;
  if (field === 'budgets') return value ?? [];
  return field === 'limit' && typeof value === 'string' ? BigInt(value) : value;
}
