import type { ApiKeyRegistry, Organization } from '../auth/api-key-registry.js';
import { newOrganization } from '../auth/new-organization.js';
import { LedgerError } from '../base/errors/ledger-error.js';
import type { Clock } from '../base/time/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import type { OrganizationAdministration } from './administration.js';
import { checkFields } from './read-arguments.js';

interface OrganizationDeps {
  readonly ledger: Ledger;
  readonly apiKeys: ApiKeyRegistry;
  readonly clock: Clock;
  readonly invalidateKey: (hash: string) => void;
}

const LARGEST_PAGE = 1_000;

export function administerOrganizations(deps: OrganizationDeps): OrganizationAdministration {
  const { ledger, apiKeys, clock, invalidateKey } = deps;

  /** The registry already has the change: gateways that ask it again see it. */
  async function forgetKeysOf(organizationId: string): Promise<void> {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = { organizationId, limit: LARGEST_PAGE, ...(cursor !== undefined && { cursor }) };
      const page = await apiKeys.listKeys(query);
      for (const { hash } of page.items) invalidateKey(hash);
      cursor = page.nextCursor;
    }
  }

  async function changeSuspension(id: string, suspendedAtMs: number | null): Promise<Organization> {
    const before = await apiKeys.findOrganization(id);
    const stands = suspendedAtMs === null ? null : (before?.suspendedAtMs ?? suspendedAtMs);
    const organization = before && (await apiKeys.updateOrganization(id, { suspendedAtMs: stands }));
    if (organization === undefined) throw unknownOrganization(id);
    await forgetKeysOf(id);
    return organization;
  }

  return {
    async create(fields) {
      checkFields('organizations.create', fields, ['id', 'name', 'rateLimit', 'maxConcurrent']);
      const { id, name = null } = fields;
      const { rateLimit = null, maxConcurrent = null } = fields;
      const organization: Organization = { ...newOrganization(id, clock.now()), name, rateLimit, maxConcurrent };
      if (await apiKeys.insertOrganization(organization)) return organization;
      const known = await requireOrganization(apiKeys, id);
      if (known.name !== null || name === null) return known;
      return (await apiKeys.updateOrganization(id, { name })) ?? known;
    },
    async update(id, fields) {
      checkFields('organizations.update', fields, ['name', 'rateLimit', 'maxConcurrent']);
      const { name, rateLimit, maxConcurrent } = fields;
      const change = {
        ...(name !== undefined && { name }),
        ...(rateLimit !== undefined && { rateLimit }),
        ...(maxConcurrent !== undefined && { maxConcurrent }),
      };
      const organization = await apiKeys.updateOrganization(id, change);
      if (organization === undefined) throw unknownOrganization(id);
      await forgetKeysOf(id);
      return organization;
    },
    suspend: async (id) => changeSuspension(id, clock.now()),
    resume: async (id) => changeSuspension(id, null),
    async get(id) {
      const organization = await apiKeys.findOrganization(id);
      return organization && { ...organization, ...(await ledger.organizationTotals(id)) };
    },
    list: async (query) => apiKeys.listOrganizations(query),
  };
}

/** @throws LedgerError `unknown_organization`. */
export async function requireOrganization(apiKeys: ApiKeyRegistry, id: string): Promise<Organization> {
  const organization = await apiKeys.findOrganization(id);
  if (organization === undefined) throw unknownOrganization(id);
  return organization;
}

function unknownOrganization(id: string): LedgerError {
  return new LedgerError('unknown_organization', `there is no organization ${id}`);
}
