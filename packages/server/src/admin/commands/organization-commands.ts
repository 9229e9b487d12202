import { formatUsd } from '@searchgate/core';
import { AdministrationError, type OrganizationAccount } from '@searchgate/core/administration';
import type { Command } from 'commander';
import { usd } from '../../usd.js';
import { allPages } from '../all-pages.js';
import { id } from '../option-values.js';
import { concurrencyText, domainsText, isoTimeOrNull, rateText } from '../present.js';
import type { AdminSession, Report, Runner } from '../runner.js';
import { type Column, fieldList, table } from '../table.js';
import { addSettings, fieldsOf, ORGANIZATION_SETTINGS } from './account-settings.js';

type Options = Readonly<Record<string, unknown>>;

export function addOrganizationCommands(program: Command, { report }: Runner): void {
  const orgs = program
    .command('orgs')
    .description('create, list, show, update, suspend and resume organizations, which hold the credits');
  const one = (name: string, description: string) =>
    orgs.command(name).description(description).argument('<id>', 'its name in the ledger, without spaces', id);

  addSettings(one('create', 'make an organization known'), ORGANIZATION_SETTINGS).action(
    (orgId: string, options: Options) =>
      report(async (session) => {
        const { organizations } = session.administration;
        const isNew = (await organizations.get(orgId)) === undefined;
        await organizations.create({ ...fieldsOf(ORGANIZATION_SETTINGS, options), id: orgId });
        const next = isNew
          ? `is there. Give it credits with: credits grant --org ${orgId} --amount 25.00`
          : `was there already. Change it with: orgs update ${orgId}`;
        return show(session, orgId, next);
      }),
  );
  orgs
    .command('list')
    .description('every organization with its credits')
    .action(() => report(list));
  one('show', 'everything about one organization').action((orgId: string) =>
    report((session) => show(session, orgId, '')),
  );
  addSettings(one('update', 'change what is given and leave the rest'), ORGANIZATION_SETTINGS).action(
    (orgId: string, options: Options) =>
      report(async (session) => {
        const change = fieldsOf<object>(ORGANIZATION_SETTINGS, options);
        await session.administration.organizations.update(orgId, change);
        return show(session, orgId, changedText(change));
      }),
  );
  const suspensions = [
    ['suspend', 'refuse the calls of all its keys', 'is suspended'],
    ['resume', 'serve its keys again', 'is served again'],
  ] as const;
  for (const [name, description, done] of suspensions)
    one(name, description).action((orgId: string) =>
      report(async (session) => {
        await session.administration.organizations[name](orgId);
        return show(session, orgId, `${done}, in every process within seconds.`);
      }),
    );
}

/** Describes the result of an `update`. */
export function changedText(change: object): string {
  return Object.keys(change).length === 0 ? 'is as it was.' : 'is changed, in every process within seconds.';
}

const COLUMNS: readonly Column<OrganizationAccount>[] = [
  { title: 'id', of: (organization) => organization.id },
  { title: 'name', of: ({ name }) => name ?? '–' },
  { title: 'state', of: ({ suspendedAtMs }) => (suspendedAtMs === null ? 'active' : 'suspended') },
  { title: 'credits', align: 'right', of: ({ credits }) => usd(credits) },
  { title: 'used', align: 'right', of: ({ usage }) => usd(usage) },
  { title: 'held', align: 'right', of: ({ held }) => usd(held) },
  { title: 'left', align: 'right', of: leftOf },
  { title: 'rate', align: 'right', of: rateText },
  { title: 'at once', align: 'right', of: concurrencyText },
  { title: 'created', of: ({ createdAtMs }) => isoTimeOrNull(createdAtMs) ?? '–' },
];

function leftOf({ operatorPays, credits, usage, held }: OrganizationAccount): string {
  return operatorPays ? 'operator pays' : usd(credits - usage - held);
}

async function show({ administration }: AdminSession, orgId: string, heading: string): Promise<Report> {
  const found = await administration.organizations.get(orgId);
  if (found === undefined) throw new AdministrationError('unknown_organization', `there is no organization ${orgId}`);
  return {
    text: `${`Organization ${orgId} ${heading}`.trimEnd()}\n${fieldList([...COLUMNS, { title: 'domains', of: domainsText }], found)}`,
    json: jsonOf(found),
  };
}

async function list({ administration, ledger }: AdminSession): Promise<Report> {
  const rows: OrganizationAccount[] = [];
  for await (const { items } of allPages((query) => administration.organizations.list(query))) {
    const accounts = items.map(async (each) => ({ ...each, ...(await ledger.organizationTotals(each.id)) }));
    rows.push(...(await Promise.all(accounts)));
  }
  return { text: rows.length === 0 ? 'There is no organization yet.' : table(COLUMNS, rows), json: rows.map(jsonOf) };
}

function jsonOf({ createdAtMs, suspendedAtMs, credits, usage, held, ...others }: OrganizationAccount): object {
  const times = { createdAt: isoTimeOrNull(createdAtMs), suspendedAt: isoTimeOrNull(suspendedAtMs) };
  return { ...others, ...times, credits: formatUsd(credits), usage: formatUsd(usage), held: formatUsd(held) };
}
