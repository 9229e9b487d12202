import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createToolServer } from '../tool-server.js';
import { createTools } from '../tools/tools.js';
import { readCommand } from './read-command.js';
import { type RemoteGateway, remoteSource } from './remote-source.js';

/** Runs `searchgate-mcp` until its standard input ends. @returns the exit code: 2 if it could not start. */
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

/** Serves the tools of a gateway until standard input ends or standard output is closed. Aborts the calls in flight then. */
async function serveStdio(
  gateway: RemoteGateway & { readonly defaultModel: string | undefined },
  { stdin, stdout, stderr }: Terminal,
): Promise<void> {
  const log = (text: string) => void stderr.write(`searchgate-mcp: ${text}\n`);
  const server = createToolServer(createTools(gateway.defaultModel), remoteSource(gateway, { log }));
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve);
    stdout.once('error', () => resolve());
    // The transport closes itself after a message that is too long.
    server.server.onclose = resolve;
  });
  server.server.onerror = (error) =>
    log(isUnreadable(error) ? 'a line of standard input is not a JSON-RPC message' : error.message);
  await server.connect(new StdioServerTransport(stdin, stdout));
  await ended;
  await server.close();
}

/** Invalid JSON or an invalid message: the SDK's text for it is long and says no more. */
function isUnreadable(error: Error): boolean {
  return error instanceof SyntaxError || 'issues' in error;
}

/** The streams of a program. */
interface Terminal {
  readonly stdin: Readable;
  /** Carries only the protocol while serving. */
  readonly stdout: Writable;
  readonly stderr: Writable;
}
