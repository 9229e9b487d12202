import { ConfigurationError, isLedgerError } from '@searchgate/core';
import { CommanderError } from 'commander';
import { isBug, messageOf, stackOf } from '../problems.js';
import { adminProgram } from './admin-program.js';
import { type AdminContext, howToMakeOne } from './admin-session.js';

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
