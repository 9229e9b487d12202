import type { ApiKeyRecord, LimitReset, Organization, RegistryRange } from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';

interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly organization_id: string;
  readonly label: string;
  readonly spend_limit: bigint | null;
  readonly limit_reset: LimitReset | null;
  readonly allowed_models: string | null;
  readonly created_at_ms: bigint;
  readonly expires_at_ms: bigint | null;
  readonly revoked_at_ms: bigint | null;
}

interface OrganizationRow {
  readonly id: string;
  readonly name: string | null;
  readonly created_at_ms: bigint;
  readonly suspended_at_ms: bigint | null;
}

const READ_KEYS = `SELECT id, hash, organization_id, label, spend_limit, limit_reset, allowed_models, created_at_ms, expires_at_ms,
  revoked_at_ms FROM searchgate_api_keys`;
const INSERT_KEY = `INSERT INTO searchgate_api_keys (id, hash, organization_id, label, spend_limit, limit_reset, allowed_models,
  created_at_ms, expires_at_ms, revoked_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const UPDATE_KEY = `UPDATE searchgate_api_keys SET label = ?, spend_limit = ?, limit_reset = ?, allowed_models = ?,
  expires_at_ms = ?, revoked_at_ms = ? WHERE id = ?`;
const READ_ORGANIZATIONS = 'SELECT id, name, created_at_ms, suspended_at_ms FROM searchgate_organizations';
const INSERT_ORGANIZATION = `INSERT INTO searchgate_organizations (id, name, created_at_ms, suspended_at_ms)
  VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const UPDATE_ORGANIZATION = 'UPDATE searchgate_organizations SET name = ?, suspended_at_ms = ? WHERE id = ?';

/** @param column `id` or `hash`. */
export function readKey(connection: Connection, column: 'id' | 'hash', value: string): ApiKeyRecord | undefined {
  const row = connection.statement<KeyRow>(`${READ_KEYS} WHERE ${column} = ?`).get(value);
  return row && keyOf(row);
}

/** @returns whether it was inserted; not where its id or its hash is taken. */
export function insertKey(connection: Connection, key: ApiKeyRecord): boolean {
  const { id, hash, organizationId, label, limit, limitReset, allowedModels } = key;
  const texts = [id, hash, organizationId, label, limit, limitReset, jsonOf(allowedModels)] as const;
  const times = [BigInt(key.createdAtMs), timeOf(key.expiresAtMs), timeOf(key.revokedAtMs)] as const;
  return connection.statement(INSERT_KEY).run(...texts, ...times) > 0;
}

export function updateKey(connection: Connection, key: ApiKeyRecord): void {
  const { id, label, limit, limitReset, allowedModels } = key;
  const times = [timeOf(key.expiresAtMs), timeOf(key.revokedAtMs)] as const;
  connection.statement(UPDATE_KEY).run(label, limit, limitReset, jsonOf(allowedModels), ...times, id);
}

/** The keys of a page, and one more if there is one. */
export function listKeys(connection: Connection, range: RegistryRange): ApiKeyRecord[] {
  return list<KeyRow>(connection, READ_KEYS, range).map(keyOf);
}

export function readOrganization(connection: Connection, id: string): Organization | undefined {
  const row = connection.statement<OrganizationRow>(`${READ_ORGANIZATIONS} WHERE id = ?`).get(id);
  return row && organizationOf(row);
}

/** @returns whether it was new. */
export function insertOrganization(connection: Connection, organization: Organization): boolean {
  const { id, name, createdAtMs, suspendedAtMs } = organization;
  return connection.statement(INSERT_ORGANIZATION).run(id, name, BigInt(createdAtMs), timeOf(suspendedAtMs)) > 0;
}

export function updateOrganization(connection: Connection, { id, name, suspendedAtMs }: Organization): void {
  connection.statement(UPDATE_ORGANIZATION).run(name, timeOf(suspendedAtMs), id);
}

/** The organizations of a page, and one more if there is one. */
export function listOrganizations(connection: Connection, range: RegistryRange): Organization[] {
  return list<OrganizationRow>(connection, READ_ORGANIZATIONS, range).map(organizationOf);
}

/** In order of creation, ties by id. */
function list<R>(connection: Connection, select: string, { organizationId, after, pageSize }: RegistryRange): R[] {
  const conditions: string[] = [];
  const parameters: SqliteValue[] = [];
  if (organizationId !== undefined) {
    conditions.push('organization_id = ?');
    parameters.push(organizationId);
  }
  if (after !== null) {
    conditions.push('(created_at_ms, id) > (?, ?)');
    parameters.push(BigInt(after.createdAtMs), after.id);
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const sql = `${select}${where} ORDER BY created_at_ms, id LIMIT ?`;
  return connection.statement<R>(sql).all(...parameters, BigInt(pageSize + 1));
}

function keyOf(row: KeyRow): ApiKeyRecord {
  return {
    id: row.id,
    hash: row.hash,
    organizationId: row.organization_id,
    label: row.label,
    limit: row.spend_limit,
    limitReset: row.limit_reset,
    allowedModels: row.allowed_models === null ? null : (JSON.parse(row.allowed_models) as string[]),
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: numberOf(row.expires_at_ms),
    revokedAtMs: numberOf(row.revoked_at_ms),
  };
}

function organizationOf({ id, name, created_at_ms, suspended_at_ms }: OrganizationRow): Organization {
  return { id, name, createdAtMs: Number(created_at_ms), suspendedAtMs: numberOf(suspended_at_ms) };
}

function jsonOf(slugs: readonly string[] | null): string | null {
  return slugs === null ? null : JSON.stringify(slugs);
}

function timeOf(timeMs: number | null): bigint | null {
  return timeMs === null ? null : BigInt(timeMs);
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
