import type { ApiKeyChange, ApiKeyRecord, Organization, OrganizationChange } from '@searchgate/core/ledger';
import { FIELD_END, KEY_FIELDS, ORGANIZATION_FIELDS, RAW_FIELDS } from '../scripts/key-scripts.js';

/** A key as one text: its fields in order, values as JSON, in which amounts are decimal texts. */
export function recordOfKey(key: ApiKeyRecord): string {
  return KEY_FIELDS.map((field) => textOf(field, key[field])).join(FIELD_END);
}

/** An organization likewise. */
export function recordOfOrganization(organization: Organization): string {
  return ORGANIZATION_FIELDS.map((field) => textOf(field, organization[field])).join(FIELD_END);
}

/** For every field that changes its place in the record, counted from 0, and its text. */
export function changesOfKey(change: ApiKeyChange): string[] {
  return changesOf(KEY_FIELDS, change);
}

/** Likewise. */
export function changesOfOrganization(change: OrganizationChange): string[] {
  return changesOf(ORGANIZATION_FIELDS, change);
}

export function parseKey(record: string): ApiKeyRecord {
  const fields = parseFields(KEY_FIELDS, record) as unknown as Omit<ApiKeyRecord, 'limit'> & { limit: string | null };
  return { ...fields, limit: fields.limit === null ? null : BigInt(fields.limit) };
}

export function parseOrganization(record: string): Organization {
  return parseFields(ORGANIZATION_FIELDS, record) as unknown as Organization;
}

function changesOf(names: readonly string[], change: object): string[] {
  return Object.entries(change).flatMap(([field, value]: [string, unknown]) => {
    const place = names.indexOf(field);
    return value === undefined || place < 0 ? [] : [`${place}`, textOf(field, value)];
  });
}

function textOf(field: string, value: unknown): string {
  return RAW_FIELDS.has(field) ? String(value) : JSON.stringify(typeof value === 'bigint' ? `${value}` : value);
}

function parseFields(names: readonly string[], record: string): Record<string, unknown> {
  const texts = record.split(FIELD_END);
  return Object.fromEntries(
    names.map((name, index) => {
      const text = texts[index] ?? 'null';
      return [name, RAW_FIELDS.has(name) ? text : JSON.parse(text)];
    }),
  );
}
