import type { Command } from 'commander';
import { concurrency, id, rate } from '../option-values.js';
import type { Runner } from '../runner.js';
import {
  createOrganization,
  listOrganizations,
  type OrganizationOptions,
  resumeOrganization,
  showOrganization,
  suspendOrganization,
  updateOrganization,
} from './organization-reports.js';

const HELP = {
  id: ['<id>', 'its name in the ledger, without spaces'],
  name: ['--name <text>', 'its name for people'],
  rate: [
    '--rate <rate>',
    'most answers of all its keys in a period, such as 60/1m, 5/s or 1000/1d, or none of its own',
  ],
  concurrency: ['--concurrency <number>', 'most answers of all its keys at once, or none of its own'],
} as const;

export function addOrganizationCommands(program: Command, { report }: Runner): void {
  const orgs = program
    .command('orgs')
    .description('create, list, show, update, suspend and resume organizations, which hold the credits');
  orgs
    .command('create')
    .description('make an organization known')
    .argument(...HELP.id, id)
    .option(...HELP.name)
    .option(...HELP.rate, rate)
    .option(...HELP.concurrency, concurrency)
    .action((orgId: string, options: OrganizationOptions) =>
      report((session) => createOrganization(session, orgId, options)),
    );
  orgs
    .command('list')
    .description('every organization with its credits')
    .action(() => report(listOrganizations));
  orgs
    .command('show')
    .description('everything about one organization')
    .argument(...HELP.id, id)
    .action((orgId: string) => report((session) => showOrganization(session, orgId)));
  orgs
    .command('update')
    .description('change what is given and leave the rest')
    .argument(...HELP.id, id)
    .option(...HELP.name)
    .option(...HELP.rate, rate)
    .option(...HELP.concurrency, concurrency)
    .action((orgId: string, options: OrganizationOptions) =>
      report((session) => updateOrganization(session, orgId, options)),
    );
  orgs
    .command('suspend')
    .description('refuse the calls of all its keys')
    .argument(...HELP.id, id)
    .action((orgId: string) => report((session) => suspendOrganization(session, orgId)));
  orgs
    .command('resume')
    .description('serve its keys again')
    .argument(...HELP.id, id)
    .action((orgId: string) => report((session) => resumeOrganization(session, orgId)));
}
