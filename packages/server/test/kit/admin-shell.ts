import { Readable } from 'node:stream';
import { runAdmin } from '../../src/admin/run-admin.js';
import type { AdminContext } from '../../src/admin/runner.js';

/** The output of a command, and its exit code. */
export interface AdminResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed stdout of a command with `--json`. */
  json(): unknown;
}

/** What is typed at a terminal. */
export const typed = (text: string): AdminContext['stdin'] => Object.assign(Readable.from([text]), { isTTY: true });

/**
 * Runs commands of `searchgate admin` on a ledger, in this process: the arguments as an array, since texts have spaces.
 *
 * @param input what is read from standard input.
 */
export function adminShell(
  ledger: string,
  environment = {},
  input: string | AdminContext['stdin'] = '',
): (...argv: string[]) => Promise<AdminResult> {
  return async (...argv) => {
    const output = { stdout: '', stderr: '' };
    const code = await runAdmin(argv, {
      command: 'searchgate admin',
      environment: { ...environment, SEARCHGATE_LEDGER: ledger },
      stdin: typeof input === 'string' ? Readable.from([input]) : input,
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
