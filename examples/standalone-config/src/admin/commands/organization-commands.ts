import type { Organization, OrganizationTotals } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { usd } from '../../usd.js';
import type { AdminSession } from '../admin-session.js';
import { allPages } from '../all-pages.js';
import { id } from '../option-values.js';
import { amountsJson, isoTime, organizationJson } from '../present.js';
import type { Report } from '../report.js';
import type { Runner } from '../runner.js';
import { table } from '../table.js';

interface Row {
  readonly organization: Organization;
  readonly totals: OrganizationTotals;
}

export function addOrganizationCommands(program: Command, { report }: Runner): void {
  const orgs = program
    .command('orgs')
    .description('create, list, suspend and resume organizations, which hold the credits');
  orgs
    .command('create')
    .description('make an organization known')
    .argument('<id>', 'its name in the ledger, without spaces', id)
    .option('--name <text>', 'its name for people')
    .action((organizationId: string, { name }: { name?: string }) =>
      report(async ({ administration }) => {
        const created = await administration.organizations.create({
          id: organizationId,
          ...(name === undefined ? {} : { name }),
        });
        return {
          text: `Organization ${created.id} is there. Give it credits with: credits grant --org ${created.id} --amount 25.00`,
          json: organizationJson(created),
        };
      }),
    );
  orgs
    .command('list')
    .description('every organization with its credits')
    .action(() => report(listOrganizations));
  orgs
    .command('suspend')
    .description('refuse the calls of all its keys')
    .argument('<id>', 'the organization', id)
    .action((organizationId: string) =>
      report(({ administration }) => suspended(administration.organizations.suspend(organizationId))),
    );
  orgs
    .command('resume')
    .description('serve its keys again')
    .argument('<id>', 'the organization', id)
    .action((organizationId: string) =>
      report(({ administration }) => suspended(administration.organizations.resume(organizationId))),
    );
}

async function suspended(change: Promise<Organization>): Promise<Report> {
  const organization = await change;
  const state = organization.suspendedAtMs === null ? 'served again' : 'suspended';
  return {
    text: `Organization ${organization.id} is ${state}, in every process within seconds.`,
    json: organizationJson(organization),
  };
}

async function listOrganizations({ administration, ledger }: AdminSession): Promise<Report> {
  const rows: Row[] = [];
  for await (const page of allPages((query) => administration.organizations.list(query))) {
    const read = async (organization: Organization): Promise<Row> => ({
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

function organizationTable(rows: readonly Row[]): string {
  return table<Row>(
    [
      { title: 'id', of: ({ organization }) => organization.id },
      { title: 'name', of: ({ organization }) => organization.name ?? '' },
      { title: 'state', of: ({ organization }) => (organization.suspendedAtMs === null ? 'active' : 'suspended') },
      { title: 'credits', align: 'right', of: ({ totals }) => usd(totals.credits) },
      { title: 'used', align: 'right', of: ({ totals }) => usd(totals.usage) },
      { title: 'held', align: 'right', of: ({ totals }) => usd(totals.held) },
      { title: 'left', align: 'right', of: ({ totals }) => usd(totals.credits - totals.usage - totals.held) },
      { title: 'created', of: ({ organization }) => isoTime(organization.createdAtMs) },
    ],
    rows,
  );
}
