import { Readable } from 'node:stream';
import { runAdmin } from '../../src/admin/run-admin.js';

/** The output of a command, and its exit code. */
export interface AdminResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed stdout of a command with `--json`. */
  json(): unknown;
}

/**
 * Runs commands of `searchgate admin` on a ledger, in this process: the arguments as an array, since texts have spaces.
 *
 * @param input what is read from standard input.
 */
export function adminShell(ledger: string, environment = {}, input = ''): (...argv: string[]) => Promise<AdminResult> {
  return async (...argv) => {
    const output = { stdout: '', stderr: '' };
    const code = await runAdmin(argv, {
      command: 'searchgate admin',
      environment: { ...environment, SEARCHGATE_LEDGER: ledger },
      stdin: Readable.from([input]),
      out(text) {
        output.stdout += text;
        return Promise.resolve();
      },
      err(text) {
        output.stderr += text;
      },
    });
    return { code, ...output, json: (): unknown => JSON.parse(output.stdout) };
  };
}
