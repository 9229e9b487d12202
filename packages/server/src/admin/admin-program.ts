import { Command } from 'commander';
import type { AdminContext } from './admin-session.js';
import { addCreditCommands } from './commands/credit-commands.js';
import { addEntryCommands } from './commands/entry-commands.js';
import { addKeyCommands } from './commands/key-commands.js';
import { addLedgerCommands } from './commands/ledger-commands.js';
import { addOrganizationCommands } from './commands/organization-commands.js';
import { addUsageCommand } from './commands/usage-command.js';
import { createRunner } from './runner.js';

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
export function adminProgram(context: AdminContext, onFailure: () => void): Command {
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
