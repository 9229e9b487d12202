import { AdministrationError, type OrganizationUpdate, type OrganizationView } from '@searchgate/core/administration';
import type { OrganizationTotals, RateLimit } from '@searchgate/core/ledger';
import { usd } from '../../usd.js';
import type { AdminSession } from '../admin-session.js';
import { allPages } from '../all-pages.js';
import { isNewOrganization } from '../new-organization.js';
import type { Setting } from '../option-values.js';
import { amountsJson, concurrencyText, isoTimeOrNull, organizationJson, rateText } from '../present.js';
import type { Report } from '../report.js';
import { fieldList, table } from '../table.js';

/** What the options of `orgs create` and `orgs update` say; absent where one was not given. */
export interface OrganizationOptions {
  readonly name?: string;
  readonly rate?: Setting<RateLimit>;
  readonly concurrency?: Setting<number>;
}

interface Row {
  readonly organization: OrganizationView;
  readonly totals: OrganizationTotals;
}

export async function createOrganization(
  { administration }: AdminSession,
  id: string,
  options: OrganizationOptions,
): Promise<Report> {
  const isNew = await isNewOrganization(administration, id);
  const organization = await administration.organizations.create({ id, ...changeOf(options) });
  const text = isNew
    ? `Organization ${id} is there. Give it credits with: credits grant --org ${id} --amount 25.00`
    : `Organization ${id} was there already. Change it with: orgs update ${id}\n${fieldList(organizationFields(organization))}`;
  return { text, json: organizationJson(organization) };
}

export async function showOrganization({ administration }: AdminSession, id: string): Promise<Report> {
  const found = await administration.organizations.get(id);
  if (found === undefined) throw new AdministrationError('unknown_organization', `there is no organization ${id}`);
  const { credits, usage, held, ...organization } = found;
  const money = { credits: usd(credits), used: usd(usage), held: usd(held), left: usd(credits - usage - held) };
  return {
    text: `Organization ${id}\n${fieldList({ ...organizationFields(organization), ...money })}`,
    json: { ...organizationJson(organization), ...amountsJson({ credits, usage, held }) },
  };
}

export async function updateOrganization(
  { administration }: AdminSession,
  id: string,
  options: OrganizationOptions,
): Promise<Report> {
  const change = changeOf(options);
  const organization = await administration.organizations.update(id, change);
  const heading = Object.keys(change).length === 0 ? 'is as it was' : 'is changed, in every process within seconds';
  return {
    text: `Organization ${id} ${heading}.\n${fieldList(organizationFields(organization))}`,
    json: organizationJson(organization),
  };
}

export async function suspendOrganization({ administration }: AdminSession, id: string): Promise<Report> {
  const organization = await administration.organizations.suspend(id);
  return {
    text: `Organization ${id} is suspended, in every process within seconds.`,
    json: organizationJson(organization),
  };
}

export async function resumeOrganization({ administration }: AdminSession, id: string): Promise<Report> {
  const organization = await administration.organizations.resume(id);
  return {
    text: `Organization ${id} is served again, in every process within seconds.`,
    json: organizationJson(organization),
  };
}

export async function listOrganizations({ administration, ledger }: AdminSession): Promise<Report> {
  const rows: Row[] = [];
  for await (const page of allPages((query) => administration.organizations.list(query))) {
    const read = async (organization: OrganizationView): Promise<Row> => ({
      organization,
      totals: await ledger.organizationTotals(organization.id),
    });
    rows.push(...(await Promise.all(page.map(read))));
  }
  return {
    text: rows.length === 0 ? 'There is no organization yet.' : organizationTable(rows),
    json: rows.map(({ organization, totals }) => ({
      ...organizationJson(organization),
      ...amountsJson({ ...totals }),
    })),
  };
}

function changeOf({ name, rate, concurrency }: OrganizationOptions): OrganizationUpdate {
  return {
    ...(name === undefined ? {} : { name }),
    ...(rate === undefined ? {} : { rateLimit: rate.to }),
    ...(concurrency === undefined ? {} : { maxConcurrent: concurrency.to }),
  };
}

function organizationFields(organization: OrganizationView): Record<string, string> {
  return {
    name: organization.name ?? '–',
    state: stateOf(organization),
    rate: rateText(organization),
    'at once': concurrencyText(organization),
    created: isoTimeOrNull(organization.createdAtMs) ?? '–',
  };
}

function organizationTable(rows: readonly Row[]): string {
  return table<Row>(
    [
      { title: 'id', of: ({ organization }) => organization.id },
      { title: 'name', of: ({ organization }) => organization.name ?? '' },
      { title: 'state', of: ({ organization }) => stateOf(organization) },
      { title: 'credits', align: 'right', of: ({ totals }) => usd(totals.credits) },
      { title: 'used', align: 'right', of: ({ totals }) => usd(totals.usage) },
      { title: 'held', align: 'right', of: ({ totals }) => usd(totals.held) },
      { title: 'left', align: 'right', of: ({ totals }) => usd(totals.credits - totals.usage - totals.held) },
      { title: 'rate', align: 'right', of: ({ organization }) => rateText(organization) },
      { title: 'at once', align: 'right', of: ({ organization }) => concurrencyText(organization) },
      { title: 'created', of: ({ organization }) => isoTimeOrNull(organization.createdAtMs) ?? '' },
    ],
    rows,
  );
}

function stateOf({ suspendedAtMs }: OrganizationView): string {
  return suspendedAtMs === null ? 'active' : 'suspended';
}
