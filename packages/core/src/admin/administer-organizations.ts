import type { ApiKeyRegistry, Organization, OrganizationChange } from '../auth/api-key-registry.js';
import { newOrganization } from '../auth/registry-records.js';
import type { Clock } from '../base/time/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import type { OrganizationAdministration, OrganizationUpdate, OrganizationView } from './administration.js';
import { AdministrationError, refuseWithoutRegistry } from './administration-error.js';
import { keyPages } from './key-pages.js';
import { checkFields } from './read-arguments.js';

export interface OrganizationDeps {
  readonly ledger: Ledger;
  readonly apiKeys: ApiKeyRegistry;
  readonly clock: Clock;
  readonly invalidateKey: (hash: string) => void;
}

const CHANGEABLE = ['name', 'rateLimit', 'maxConcurrent', 'operatorPays'] as const;
const DEFAULT_PAGE = 100;

export function administerOrganizations(deps: OrganizationDeps): OrganizationAdministration {
  const { ledger, apiKeys, clock, invalidateKey } = deps;

  /** Makes the gateway read the organization's keys again from the registry, which already has the change. */
  async function forgetKeysOf(organizationId: string): Promise<void> {
    for await (const keys of keyPages(apiKeys, organizationId)) for (const { hash } of keys) invalidateKey(hash);
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
      checkFields('organizations.create', fields, ['id', ...CHANGEABLE]);
      const { id, name = null } = fields;
      const organization: Organization = { ...newOrganization(id, clock.now()), ...given(fields) };
      if (await apiKeys.insertOrganization(organization)) return organization;
      const known = await requireOrganization(apiKeys, id);
      if (known.name !== null || name === null) return known;
      return (await apiKeys.updateOrganization(id, { name })) ?? known;
    },
    async update(id, fields) {
      checkFields('organizations.update', fields, CHANGEABLE);
      const organization = await apiKeys.updateOrganization(id, given(fields));
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

/** The changeable fields that are given. */
function given(fields: OrganizationUpdate): OrganizationChange {
  const named = CHANGEABLE.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]));
  return Object.fromEntries(named) as OrganizationChange;
}

/** For a host that authenticates callers itself: its organizations are those with entries in the ledger. */
export function organizationsOfHost(ledger: Pick<Ledger, 'organizationTotals' | 'usage'>): OrganizationAdministration {
  return {
    create: refuseWithoutRegistry('organizations.create'),
    update: refuseWithoutRegistry('organizations.update'),
    suspend: refuseWithoutRegistry('organizations.suspend'),
    resume: refuseWithoutRegistry('organizations.resume'),
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
  if (organization === undefined) throw unknownOrganization(id);
  return organization;
}

function unknownOrganization(id: string): AdministrationError {
  return new AdministrationError('unknown_organization', `there is no organization ${id}`);
}
