import { readCommand } from './read-command.js';
import { serveStdio } from './serve-stdio.js';
import type { Terminal } from './terminal.js';

/** Runs `searchgate-mcp` until its standard input ends. @returns the exit code: 2 where it could not start. */
export async function runProgram(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> {
  const command = readCommand(argv, environment);
  if (command.kind === 'serve') {
    await serveStdio(command, terminal);
    return 0;
  }
  const isAnswer = command.kind === 'print';
  (isAnswer ? terminal.stdout : terminal.stderr).write(`${command.text}\n`);
  return isAnswer ? 0 : 2;
}
