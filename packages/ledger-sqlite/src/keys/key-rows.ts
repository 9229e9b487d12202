import type { ApiKeyRecord, LimitReset, Organization, RateLimit, RegistryRange } from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';

/** `null` for no limit. */
interface LimitColumns {
  readonly rate_requests: bigint | null;
  readonly rate_period_ms: bigint | null;
  readonly max_concurrent: bigint | null;
}

interface KeyRow extends LimitColumns {
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

interface OrganizationRow extends LimitColumns {
  readonly id: string;
  readonly name: string | null;
  readonly created_at_ms: bigint;
  readonly suspended_at_ms: bigint | null;
}

const READ_KEYS = `SELECT id, hash, organization_id, label, spend_limit, limit_reset, allowed_models, rate_requests,
  rate_period_ms, max_concurrent, created_at_ms, expires_at_ms, revoked_at_ms FROM searchgate_api_keys`;
const INSERT_KEY = `INSERT INTO searchgate_api_keys (id, hash, organization_id, created_at_ms, label, spend_limit, limit_reset,
  allowed_models, expires_at_ms, revoked_at_ms, rate_requests, rate_period_ms, max_concurrent)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const UPDATE_KEY = `UPDATE searchgate_api_keys SET label = ?, spend_limit = ?, limit_reset = ?, allowed_models = ?,
  expires_at_ms = ?, revoked_at_ms = ?, rate_requests = ?, rate_period_ms = ?, max_concurrent = ? WHERE id = ?`;
const READ_ORGANIZATIONS = `SELECT id, name, created_at_ms, suspended_at_ms, rate_requests, rate_period_ms, max_concurrent
  FROM searchgate_organizations`;
const INSERT_ORGANIZATION = `INSERT INTO searchgate_organizations (id, created_at_ms, name, suspended_at_ms, rate_requests,
  rate_period_ms, max_concurrent) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const UPDATE_ORGANIZATION = `UPDATE searchgate_organizations SET name = ?, suspended_at_ms = ?, rate_requests = ?,
  rate_period_ms = ?, max_concurrent = ? WHERE id = ?`;

/** @param column `id` or `hash`. */
export function readKey(connection: Connection, column: 'id' | 'hash', value: string): ApiKeyRecord | undefined {
  const row = connection.statement<KeyRow>(`${READ_KEYS} WHERE ${column} = ?`).get(value);
  return row && keyOf(row);
}

/** @returns whether it was inserted; not where its id or its hash is taken. */
export function insertKey(connection: Connection, key: ApiKeyRecord): boolean {
  const { id, hash, organizationId, createdAtMs } = key;
  const values = [id, hash, organizationId, BigInt(createdAtMs), ...changeableOfKey(key)] as const;
  return connection.statement(INSERT_KEY).run(...values) > 0;
}

export function updateKey(connection: Connection, key: ApiKeyRecord): void {
  connection.statement(UPDATE_KEY).run(...changeableOfKey(key), key.id);
}

function changeableOfKey(key: ApiKeyRecord): SqliteValue[] {
  const { label, limit, limitReset, allowedModels, expiresAtMs, revokedAtMs } = key;
  const spending = [limit, limitReset, jsonOf(allowedModels)] as const;
  return [label, ...spending, bigintOf(expiresAtMs), bigintOf(revokedAtMs), ...limitsOf(key)];
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
  const { id, createdAtMs } = organization;
  const values = [id, BigInt(createdAtMs), ...changeableOfOrganization(organization)] as const;
  return connection.statement(INSERT_ORGANIZATION).run(...values) > 0;
}

export function updateOrganization(connection: Connection, organization: Organization): void {
  connection.statement(UPDATE_ORGANIZATION).run(...changeableOfOrganization(organization), organization.id);
}

function changeableOfOrganization(organization: Organization): SqliteValue[] {
  return [organization.name, bigintOf(organization.suspendedAtMs), ...limitsOf(organization)];
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
    ...readLimits(row),
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: numberOf(row.expires_at_ms),
    revokedAtMs: numberOf(row.revoked_at_ms),
  };
}

function organizationOf(row: OrganizationRow): Organization {
  const { id, name, created_at_ms, suspended_at_ms } = row;
  const times = { createdAtMs: Number(created_at_ms), suspendedAtMs: numberOf(suspended_at_ms) };
  return { id, name, ...times, ...readLimits(row) };
}

function readLimits(row: LimitColumns): { rateLimit: RateLimit | null; maxConcurrent: number | null } {
  const { rate_requests: requests, rate_period_ms: periodMs, max_concurrent: maxConcurrent } = row;
  const hasRate = requests !== null && periodMs !== null;
  const rateLimit = hasRate ? { requests: Number(requests), periodMs: Number(periodMs) } : null;
  return { rateLimit, maxConcurrent: numberOf(maxConcurrent) };
}

function limitsOf({ rateLimit, maxConcurrent }: Pick<Organization, 'rateLimit' | 'maxConcurrent'>) {
  return [bigintOf(rateLimit?.requests), bigintOf(rateLimit?.periodMs), bigintOf(maxConcurrent)] as const;
}

function jsonOf(slugs: readonly string[] | null): string | null {
  return slugs === null ? null : JSON.stringify(slugs);
}

function bigintOf(value: number | null | undefined): bigint | null {
  return value == null ? null : BigInt(value);
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
