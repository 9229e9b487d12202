import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The workspace. */
export const root = join(import.meta.dirname, '../../..');

export interface RunOptions {
  /** Default: the workspace. */
  readonly cwd?: string;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit of the program. Default: none. */
  readonly timeoutMs?: number;
}

/** Runs a program to its end. @returns its output. @throws Error with all output if it fails. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): string {
  const { cwd = root, env = {}, timeoutMs } = options;
  try {
    const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, ...env },
      ...timeout,
    });
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout: string; stderr: string; message: string };
    throw new Error(`${program} ${args.join(' ')} failed in ${cwd}: ${message}\n${stdout}${stderr}`, { cause: error });
  }
}
