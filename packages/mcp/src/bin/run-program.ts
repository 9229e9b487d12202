import type { Readable, Writable } from 'node:stream';
import { createTools } from '../tools/tools.js';
import { readCommand } from './read-command.js';
import { remoteSource } from './remote-source.js';
import { type LineServing, serveLines } from './serve-lines.js';

/** Runs `searchgate-mcp` until its standard input ends. @returns the exit code: 2 if it could not start. */
export async function runProgram(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> {
  const command = readCommand(argv, environment);
  if (command.kind === 'serve') {
    const log = (text: string) => void terminal.stderr.write(`searchgate-mcp: ${text}\n`);
    const source = remoteSource(command, { log });
    const serving = { tools: createTools(command.models), source, log, clock: TIMERS };
    await serveLines(terminal.stdin, terminal.stdout, serving);
    return 0;
  }
  const isAnswer = command.kind === 'print';
  (isAnswer ? terminal.stdout : terminal.stderr).write(`${command.text}\n`);
  return isAnswer ? 0 : 2;
}

const TIMERS: LineServing['clock'] = {
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The streams of a program. */
interface Terminal {
  readonly stdin: Readable;
  /** Carries only the protocol while serving. */
  readonly stdout: Writable;
  readonly stderr: Writable;
}
