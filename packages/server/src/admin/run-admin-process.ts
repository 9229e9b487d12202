import type { Environment } from '../environment.js';
import { outliveOutputErrors } from '../output-errors.js';
import { runAdmin } from './run-admin.js';

export interface AdminProcess {
  /** How the operator calls it, such as `searchgate admin`. */
  readonly command: string;
  readonly environment: Environment;
}

/** Runs one admin command as a process: prints on stdout and stderr. @returns the exit code. */
export function runAdminProcess(argv: readonly string[], { command, environment }: AdminProcess): Promise<number> {
  // The write that fails gets the error.
  outliveOutputErrors();
  return runAdmin(argv, {
    command,
    environment,
    out: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
      }),
    err: (text) => process.stderr.write(text),
  });
}
