import { randomUUID } from 'node:crypto';
import {
  type ApiKeyRecord,
  type ApiKeyRegistry,
  apiKeyOfRecord,
  checkApiKeyChange,
  checkApiKeyRecord,
  checkLedgerId,
  checkOrganization,
  checkOrganizationChange,
  LedgerError,
  type Organization,
  type RegistryQuery,
  readRegistryQuery,
  registryPage,
} from '@searchgate/core';
import type { Database } from '../engine/database.js';
import { KEY_FIELDS, type KeyRow, keyOfRow, ORGANIZATION_FIELDS, rowOf } from './registry-rows.js';

/** The registry: one statement for each verb, so each is one atomic step and sees what was acknowledged before. */
export function postgresApiKeys(database: Database): ApiKeyRegistry {
  return { ...keyVerbs(database), ...organizationVerbs(database) };
}

function keyVerbs(
  database: Database,
): Pick<ApiKeyRegistry, 'findByHash' | 'insertKey' | 'findKey' | 'updateKey' | 'listKeys'> {
  const { ask, checkOpen, schema } = database;

  return {
    async findByHash(hash) {
      checkOpen();
      const row = await ask<KeyRow & { readonly suspended: boolean }>(
        ` SELECT json_build_object(${KEY_FIELDS}, 'suspended', o.suspended_at_ms IS NOT NULL)::text AS json
        FROM ${schema}.api_keys k JOIN ${schema}.organizations o ON o.id = k.organization_id WHERE k.hash = $1`,
        () => [hash],
      );
      return row === undefined ? undefined : apiKeyOfRecord(keyOfRow(row), row.suspended);
    },
    async insertKey(key) {
      checkOpen();
      checkApiKeyRecord(key);
      const values = [JSON.stringify(rowOf(key)), randomUUID()];
      const inserted = await ask<boolean>(
        ` SELECT to_json(${schema}.insert_key($1, $2))::text AS json FROM present`,
        () => values,
      );
      if (inserted !== true) throw new LedgerError('duplicate_key', 'the id or the hash belongs to another key');
    },
    async findKey(id) {
      checkOpen();
      checkLedgerId('id', id);
      const row = await ask<KeyRow>(
        ` SELECT json_build_object(${KEY_FIELDS})::text AS json FROM ${schema}.api_keys k WHERE k.id = $1`,
        () => [id],
      );
      return row && keyOfRow(row);
    },
    async updateKey(id, change) {
      checkOpen();
      checkApiKeyChange(id, change);
      // A field that is absent from the JSON keeps its value; the first revocation stands.
      const row = await ask<KeyRow>(
        `, changed AS (
          UPDATE ${schema}.api_keys k SET (label, key_limit, limit_reset, allowed_models, expires_at_ms, revoked_at_ms) = (
            SELECT c.label, c.key_limit, c.limit_reset, c.allowed_models, c.expires_at_ms, coalesce(k.revoked_at_ms, c.revoked_at_ms)
            FROM json_populate_record(k, $2::json) c
          ) WHERE k.id = $1 RETURNING k.*
        ) SELECT json_build_object(${KEY_FIELDS})::text AS json FROM changed k`,
        () => [id, JSON.stringify(rowOf(change))],
      );
      return row && keyOfRow(row);
    },
    async listKeys(query) {
      checkOpen();
      const list = await readList<KeyRow>(database, query, { table: 'api_keys', fields: KEY_FIELDS });
      return registryPage<ApiKeyRecord>(list.rows.map(keyOfRow), list.pageSize);
    },
  };
}

function organizationVerbs(
  database: Database,
): Pick<ApiKeyRegistry, 'insertOrganization' | 'findOrganization' | 'updateOrganization' | 'listOrganizations'> {
  const { ask, checkOpen, schema } = database;

  return {
    async insertOrganization(organization) {
      checkOpen();
      checkOrganization(organization);
      const { id, name, createdAtMs, suspendedAtMs } = organization;
      const row = { id, name, created_at_ms: createdAtMs, suspended_at_ms: suspendedAtMs };
      const values = [JSON.stringify(row), randomUUID()];
      const isNew = await ask<boolean>(
        ` SELECT to_json(${schema}.insert_organization($1, $2))::text AS json FROM present`,
        () => values,
      );
      return isNew === true;
    },
    async findOrganization(id) {
      checkOpen();
      checkLedgerId('id', id);
      return ask<Organization>(
        ` SELECT json_build_object(${ORGANIZATION_FIELDS})::text AS json FROM ${schema}.organizations k WHERE k.id = $1`,
        () => [id],
      );
    },
    async updateOrganization(id, change) {
      checkOpen();
      checkOrganizationChange(id, change);
      const { name, suspendedAtMs } = change;
      return ask<Organization>(
        `, changed AS (
          UPDATE ${schema}.organizations k SET (name, suspended_at_ms) = (
            SELECT c.name, c.suspended_at_ms FROM json_populate_record(k, $2::json) c
          ) WHERE k.id = $1 RETURNING k.*
        ) SELECT json_build_object(${ORGANIZATION_FIELDS})::text AS json FROM changed k`,
        () => [id, JSON.stringify({ name, suspended_at_ms: suspendedAtMs })],
      );
    },
    async listOrganizations(query) {
      checkOpen();
      const table = { table: 'organizations', fields: ORGANIZATION_FIELDS } as const;
      const list = await readList<Organization>(database, query, table);
      return registryPage(list.rows, list.pageSize);
    },
  };
}

interface Listed {
  readonly table: 'api_keys' | 'organizations';
  readonly fields: string;
}

/** A row more than the page holds, which tells that there is a next page. */
async function readList<Row>(
  { askAll, schema }: Database,
  query: (RegistryQuery & { readonly organizationId?: string | undefined }) | undefined,
  { table, fields }: Listed,
): Promise<{ rows: Row[]; pageSize: number }> {
  const { organizationId, after, pageSize } = readRegistryQuery(query);
  const values: unknown[] = [after?.createdAtMs ?? -1, after?.id ?? '', pageSize + 1];
  const ofOrganization = organizationId === undefined ? '' : ` AND k.organization_id = $${values.push(organizationId)}`;
  const rows = await askAll<Row>(
    ` SELECT json_build_object(${fields})::text AS json FROM ${schema}.${table} k
    WHERE (k.created_at_ms, k.id) > ($1::int8, $2::text COLLATE "C")${ofOrganization}
    ORDER BY k.created_at_ms, k.id LIMIT $3`,
    () => values,
  );
  return { rows, pageSize };
}
