import type { ApiKeyRegistry, Organization } from '../auth/api-key-registry.js';
import { newOrganization } from '../auth/registry-records.js';
import { definedFields } from '../base/defined-fields.js';
import { withStoredRule } from '../base/domain-rule.js';
import { nearestName } from '../base/options/nearest-name.js';
import type { Clock } from '../base/time/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import type { OrganizationAdministration, OrganizationView } from './administration.js';
import { AdministrationError, refuseWithoutRegistry } from './administration-error.js';
import { keysOf, LARGEST_PAGE } from './pages.js';
import { checkFields } from './read-arguments.js';

export interface OrganizationDeps {
  readonly ledger: Ledger;
  readonly apiKeys: ApiKeyRegistry;
  readonly clock: Clock;
  readonly invalidateKey: (hash: string) => void;
}

const CHANGEABLE = ['name', 'rateLimit', 'maxConcurrent', 'operatorPays', 'domains'];
const DEFAULT_PAGE = 100;

export function administerOrganizations(deps: OrganizationDeps): OrganizationAdministration {
  const { ledger, apiKeys, clock, invalidateKey } = deps;

  /** Makes the gateway read the organization's keys again from the registry, which already has the change. */
  async function forgetKeysOf(organizationId: string): Promise<void> {
    for await (const { hash } of keysOf(apiKeys, organizationId)) invalidateKey(hash);
  }

  async function changeSuspension(id: string, suspendedAtMs: number | null): Promise<Organization> {
    const before = await apiKeys.findOrganization(id);
    const stands = suspendedAtMs === null ? null : (before?.suspendedAtMs ?? suspendedAtMs);
    const organization = before && (await apiKeys.updateOrganization(id, { suspendedAtMs: stands }));
    if (organization === undefined) throw await unknownOrganization(apiKeys, id);
    await forgetKeysOf(id);
    return organization;
  }

  return {
    async create(fields) {
      checkFields('organizations.create', fields, ['id', ...CHANGEABLE]);
      const { id, name = null } = fields;
      const given = definedFields({ ...withStoredRule(fields) });
      const organization: Organization = { ...newOrganization(id, clock.now()), ...given };
      if (await apiKeys.insertOrganization(organization)) return organization;
      const known = await requireOrganization(apiKeys, id);
      if (known.name !== null || name === null) return known;
      return (await apiKeys.updateOrganization(id, { name })) ?? known;
    },
    async update(id, fields) {
      checkFields('organizations.update', fields, CHANGEABLE);
      const organization = await apiKeys.updateOrganization(id, definedFields({ ...fields }));
      if (organization === undefined) throw await unknownOrganization(apiKeys, id);
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

/** For a host that authenticates callers itself: its organizations are those with entries in the ledger. */
export function organizationsOfHost(ledger: Pick<Ledger, 'organizationTotals' | 'usage'>): OrganizationAdministration {
  return {
    ...refuseWithoutRegistry('organizations', ['create', 'update', 'suspend', 'resume']),
    get: async (id) => ({ ...organizationOfHost(id), ...(await ledger.organizationTotals(id)) }),
    async list({ cursor, limit = DEFAULT_PAGE } = {}) {
      const rows = await ledger.usage({ by: 'organization', after: cursor, limit });
      const items = rows.flatMap(({ group }) => (group === null ? [] : [organizationOfHost(group)]));
      return { items, nextCursor: rows.length === limit ? (items.at(-1)?.id ?? null) : null };
    },
  };
}

function organizationOfHost(id: string): OrganizationView {
  return { ...newOrganization(id, 0), createdAtMs: null };
}

/** @throws AdministrationError `unknown_organization`. */
export async function requireOrganization(apiKeys: ApiKeyRegistry, id: string): Promise<Organization> {
  const organization = await apiKeys.findOrganization(id);
  if (organization === undefined) throw await unknownOrganization(apiKeys, id);
  return organization;
}

/** Names the nearest of a page of organizations. */
async function unknownOrganization(apiKeys: ApiKeyRegistry, id: string): Promise<AdministrationError> {
  const { items } = await apiKeys.listOrganizations({ limit: LARGEST_PAGE });
  const known = items.map((organization) => organization.id);
  const nearest = nearestName(id, known);
  const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`;
  return new AdministrationError('unknown_organization', `there is no organization ${id}${hint}`);
}
