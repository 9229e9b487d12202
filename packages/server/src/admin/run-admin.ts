import { ConfigurationError, isLedgerError } from '@searchgate/core';
import type { StatementQuery, StatementRow } from '@searchgate/core/administration';
import { addSums, noUsage, USAGE_GROUPS } from '@searchgate/core/ledger';
import { Command, CommanderError, Option } from 'commander';
import { isBug, messageOf, stackOf } from '../problems.js';
import { usd } from '../usd.js';
import { type AdminContext, howToMakeOne } from './admin-session.js';
import { checkRange } from './check-range.js';
import { addCreditCommands } from './commands/credit-commands.js';
import { addEntryCommands } from './commands/entry-commands.js';
import { addKeyCommands } from './commands/key-commands.js';
import { addLedgerCommands } from './commands/ledger-commands.js';
import {
  createOrganization,
  listOrganizations,
  type OrganizationOptions,
  resumeOrganization,
  showOrganization,
  suspendOrganization,
  updateOrganization,
} from './commands/organization-reports.js';
import { concurrency, date, id, rate } from './option-values.js';
import { amountsJson } from './present.js';
import type { Report } from './report.js';
import { createRunner, type Runner } from './runner.js';
import { table } from './table.js';

const HELP = {
  id: ['<id>', 'its name in the ledger, without spaces'],
  name: ['--name <text>', 'its name for people'],
  rate: [
    '--rate <rate>',
    'most answers of all its keys in a period, such as 60/1m, 5/s or 1000/1d, or none of its own',
  ],
  concurrency: ['--concurrency <number>', 'most answers of all its keys at once, or none of its own'],
} as const;

function addOrganizationCommands(program: Command, { report }: Runner): void {
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

const notes = (command: string) => `
The ledger is the one SEARCHGATE_LEDGER names, as for the service, which may be running:
sqlite:<file>, postgres://… or redis://…; by default sqlite:data/searchgate.db.

Amounts are US dollars. Times are UTC; a day such as 2026-11-01 stands for its midnight.
Exit codes: 0 done, 1 refused, failed or differences found, 2 wrong command line.

Examples:
  ${command} orgs create acme --name "Acme Inc."
  ${command} credits grant --org acme --amount 25.00
  ${command} keys create --org acme --label ci --limit 5.00 --reset monthly
  ${command} usage --by model --since 2026-11-01`;

/** Every command an operator has. @param onFailure called when a command worked and what it found is bad. */
function adminProgram(context: AdminContext, onFailure: () => void): Command {
  const program = new Command(context.command)
    .description('Administers organizations, API keys and credits, and looks into the ledger.')
    .option('--json', 'print JSON for scripts: amounts as decimal strings, times as ISO date-times')
    .addHelpText('after', notes(context.command))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void context.out(text).catch(() => undefined), writeErr: context.err })
    .showSuggestionAfterError()
    .exitOverride();
  const runner = createRunner(program, context, onFailure);
  addOrganizationCommands(program, runner);
  addKeyCommands(program, runner);
  addCreditCommands(program, runner);
  addUsageCommand(program, runner);
  addEntryCommands(program, runner);
  addLedgerCommands(program, runner);
  return program;
}

/** How the process ends. */
const EXIT = { done: 0, refused: 1, misused: 2 } as const;

/**
 * Runs one command of the operator's on the ledger of the service.
 *
 * @returns the exit code: 0, 1 when it was refused, failed or found differences, 2 when the command line is wrong.
 */
export async function runAdmin(argv: readonly string[], context: AdminContext): Promise<number> {
  let code: number = EXIT.done;
  try {
    await adminProgram(context, () => {
      code = EXIT.refused;
    }).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed what is wrong, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
    // The reader of the output, such as `head`, has stopped reading.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return code;
    context.err(`error: ${reasonOf(error, context)}\n`);
    return EXIT.refused;
  }
}

/** What an operator can act on, in a line for each thing that is wrong; a stack only for a bug. */
function reasonOf(error: unknown, context: AdminContext): string {
  if (error instanceof ConfigurationError) return error.message;
  if (isLedgerError(error) && error.reason === 'schema_mismatch') return `${error.message} (${howToMakeOne(context)})`;
  return isBug(error) && error instanceof Error ? stackOf(error) : messageOf(error);
}

type Grouping = StatementQuery['by'];

interface UsageOptions {
  readonly by: Grouping;
  readonly since?: string;
  readonly until?: string;
  readonly org?: string;
  readonly key?: string;
}

function addUsageCommand(program: Command, { report }: Runner): void {
  program
    .command('usage')
    .description('sum up what was charged by organization, key, model, tag or day')
    .addOption(new Option('--by <group>', 'what a line is of').choices(USAGE_GROUPS).default('organization'))
    .option('--since <date>', 'the first day that counts, in UTC', date)
    .option('--until <date>', 'the day behind the last one', date)
    .option('--org <id>', 'of one organization', id)
    .option('--key <id>', 'of one key', id)
    .action(({ by, since, until, org, key }: UsageOptions, command: Command) => {
      checkRange(command, { since, until });
      return report(async ({ administration }) =>
        usageReport(
          by,
          await administration.statement({
            by,
            ...(since === undefined ? {} : { from: since }),
            ...(until === undefined ? {} : { to: until }),
            ...(org === undefined ? {} : { organizationId: org }),
            ...(key === undefined ? {} : { keyId: key }),
          }),
        ),
      );
    });
}

function usageReport(by: Grouping, rows: readonly StatementRow[]): Report {
  const lines = rows.length > 1 ? [...rows, sumOf(rows)] : rows;
  const text = table<StatementRow>(
    [
      { title: by, of: ({ group }) => group ?? '–' },
      { title: 'answers', align: 'right', of: ({ charges }) => String(charges) },
      { title: 'charged', align: 'right', of: ({ charged }) => usd(charged) },
      { title: 'of it cached', align: 'right', of: ({ cached }) => usd(cached) },
      { title: 'owed', align: 'right', of: ({ upstreamCost }) => usd(upstreamCost) },
      { title: 'adjusted', align: 'right', of: ({ adjusted }) => usd(adjusted) },
      { title: 'granted', align: 'right', of: ({ granted }) => usd(granted) },
      { title: 'lost', align: 'right', of: ({ lost }) => usd(lost) },
    ],
    lines,
  );
  return { text: rows.length === 0 ? 'Nothing happened in that time.' : text, json: rows.map(rowJson) };
}

function rowJson({ group, charges, cachedCharges, ...amounts }: StatementRow): object {
  return { group, charges, cachedCharges, ...amountsJson(amounts) };
}

function sumOf(rows: readonly StatementRow[]): StatementRow {
  const sums = noUsage();
  for (const row of rows) addSums(sums, row);
  return { group: 'in all', ...sums };
}
