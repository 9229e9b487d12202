import { ConfigurationError, isLedgerError } from '@searchgate/core';
import { Command, CommanderError, Help, type Option } from 'commander';
import { outliveOutputErrors } from '../output-errors.js';
import { isBug, messageOf, stackOf } from '../problems.js';
import { collectMistakes } from './collect-mistakes.js';
import { addBudgetCommands } from './commands/budget-commands.js';
import { addChangeCommands } from './commands/change-commands.js';
import { addEntryCommands } from './commands/entry-commands.js';
import { addKeyCommands } from './commands/key-commands.js';
import { addLedgerCommands } from './commands/ledger-commands.js';
import { addMoneyCommands } from './commands/money-commands.js';
import { addOperatorCommands } from './commands/operator-commands.js';
import { addOrganizationCommands } from './commands/organization-commands.js';
import { addTenantKeyCommands } from './commands/tenant-key-commands.js';
import { type AdminContext, createRunner, howToMakeOne } from './runner.js';

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

/** All admin commands. @param onFailure called when a command finds a problem, such as a difference in the ledger. */
function adminProgram(context: AdminContext, onFailure: () => void): Command {
  let mistakes = (): string[] => [];
  const program = newProgram(context)
    .description(
      'Administers organizations, API keys, vendor keys, budgets, credits and accounts for the page, and looks into the ledger.',
    )
    .option('--json', 'print JSON for scripts: amounts as decimal strings, times as ISO date-times')
    .addHelpText('after', notes(context.command))
    .configureOutput({ outputError: (text, write) => write(mistakes().join('') + text) });
  const runner = createRunner(program, context, onFailure);
  addOrganizationCommands(program, runner);
  addKeyCommands(program, runner);
  addBudgetCommands(program, runner);
  addTenantKeyCommands(program, runner, context.stdin);
  addMoneyCommands(program, runner);
  addEntryCommands(program, runner);
  addChangeCommands(program, runner);
  addLedgerCommands(program, runner);
  addOperatorCommands(program, runner, context);
  mistakes = collectMistakes(program);
  return program;
}

/** A program that prints to its context, and throws where commander would end the process. */
export function newProgram({ command, out, err }: Pick<AdminContext, 'command' | 'out' | 'err'>): Command {
  return new Command(command)
    .configureOutput({ writeOut: (text) => void out(text).catch(() => undefined), writeErr: err })
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .showSuggestionAfterError()
    .exitOverride();
}

/** Marks options that must be given, and hides defaults that say nothing. */
function optionDescription(option: Option): string {
  const text = new Help().optionDescription(option).replace(/ \(default: (?:\[\]|false)\)$/, '');
  return option.mandatory ? `${text} (required)` : text;
}

/** The exit codes. */
const EXIT = { done: 0, refused: 1, misused: 2 } as const;

/**
 * Runs one admin command on the ledger of the service.
 *
 * @returns the exit code: 0; 1 if the command was refused, failed or found differences; 2 for a wrong command line.
 */
export async function runAdmin(argv: readonly string[], context: AdminContext): Promise<number> {
  let code: number = EXIT.done;
  try {
    await adminProgram(context, () => {
      code = EXIT.refused;
    }).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, context, code);
  }
}

/** Prints why a command failed. @param code if only the reader of the output, such as `head`, has stopped. @returns the exit code. */
export function exitCodeOf(
  error: unknown,
  context: Pick<AdminContext, 'command' | 'err'>,
  code: number = EXIT.done,
): number {
  // Commander has already printed the problem or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return code;
  context.err(`error: ${reasonOf(error, context)}\n`);
  return EXIT.refused;
}

/** The message for the operator, a line per problem; a stack only for a bug. */
function reasonOf(error: unknown, context: Pick<AdminContext, 'command'>): string {
  if (error instanceof ConfigurationError) return error.message;
  if (isLedgerError(error) && error.reason === 'schema_mismatch') return `${error.message} (${howToMakeOne(context)})`;
  return isBug(error) && error instanceof Error ? stackOf(error) : messageOf(error);
}

/** Runs one admin command as a process, with stdout and stderr. @returns the exit code. */
export function runAdminProcess(
  argv: readonly string[],
  context: Pick<AdminContext, 'command' | 'environment' | 'stdin'>,
): Promise<number> {
  return runAdmin(argv, { ...context, ...processOutput() });
}

/** The output of this process. A failing write reports its error by itself. */
export function processOutput(): Pick<AdminContext, 'out' | 'err'> {
  outliveOutputErrors();
  return {
    out: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
      }),
    err: (text) => process.stderr.write(text),
  };
}

/** Aborted by the first SIGINT, so that a command ends in order; a second one ends the process at once. */
export function interruptSignal(): AbortSignal {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  return interrupt.signal;
}
