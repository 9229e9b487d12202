import type { ApiKeyChange, ApiKeyRecord, Organization, OrganizationChange } from '@searchgate/core';
import { KEY_FIELDS, ORGANIZATION_FIELDS, RAW_FIELDS } from './scripts/key-scripts.js';

/** Fields and values for a script, one after the other; values as JSON, in which amounts are decimal texts. */
export function fieldsOf(record: ApiKeyRecord | ApiKeyChange | Organization | OrganizationChange): string[] {
  return Object.entries(record).flatMap(([field, value]) => {
    if (value === undefined || !KNOWN_FIELDS.has(field)) return [];
    return [
      field,
      RAW_FIELDS.has(field) ? String(value) : JSON.stringify(typeof value === 'bigint' ? `${value}` : value),
    ];
  });
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set([...KEY_FIELDS, ...ORGANIZATION_FIELDS]);

/** The key a reply begins with, or `undefined` where there is none. */
export function parseKey(reply: readonly string[]): ApiKeyRecord | undefined {
  if (reply.length === 0) return undefined;
  const fields = parseFields(KEY_FIELDS, reply) as unknown as Omit<ApiKeyRecord, 'limit'> & { limit: string | null };
  return { ...fields, limit: fields.limit === null ? null : BigInt(fields.limit) };
}

/** The organisation a reply begins with, or `undefined` where there is none. */
export function parseOrganization(reply: readonly string[]): Organization | undefined {
  return reply.length === 0 ? undefined : (parseFields(ORGANIZATION_FIELDS, reply) as unknown as Organization);
}

/** Every key of a reply. */
export function parseKeys(reply: readonly string[]): ApiKeyRecord[] {
  return chunksOf(reply, KEY_FIELDS.length).flatMap((chunk) => parseKey(chunk) ?? []);
}

/** Every organisation of a reply. */
export function parseOrganizations(reply: readonly string[]): Organization[] {
  return chunksOf(reply, ORGANIZATION_FIELDS.length).flatMap((chunk) => parseOrganization(chunk) ?? []);
}

/** Cuts a reply into pieces of the same length. */
export function chunksOf<T>(items: readonly T[], length: number): T[][] {
  const count = Math.ceil(items.length / length);
  return Array.from({ length: count }, (_, index) => items.slice(index * length, (index + 1) * length));
}

function parseFields(names: readonly string[], values: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name, index) => {
      const text = values[index] ?? 'null';
      return [name, RAW_FIELDS.has(name) ? text : JSON.parse(text)];
    }),
  );
}
