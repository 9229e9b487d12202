import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createToolServer } from '../tool-server.js';
import { createTools } from '../tools/tools.js';
import { readCommand } from './read-command.js';
import { type RemoteGateway, remoteSource } from './remote-source.js';

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

/** Serves the tools of a gateway until the client closes standard input, or no longer reads standard output. Calls under way are given up then. */
async function serveStdio(
  gateway: RemoteGateway & { readonly defaultModel: string | undefined },
  { stdin, stdout, stderr }: Terminal,
): Promise<void> {
  const log = (text: string) => void stderr.write(`searchgate-mcp: ${text}\n`);
  const server = createToolServer(createTools(gateway.defaultModel), remoteSource(gateway, { log }));
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve);
    stdout.once('error', () => resolve());
    // The transport closes itself over a message that is too long to keep.
    server.server.onclose = resolve;
  });
  server.server.onerror = (error) =>
    log(isUnreadable(error) ? 'a line of standard input is no JSON-RPC message' : error.message);
  await server.connect(new StdioServerTransport(stdin, stdout));
  await ended;
  await server.close();
}

/** No JSON, or JSON of another form: the text of such an error is a long list, and says no more. */
function isUnreadable(error: Error): boolean {
  return error instanceof SyntaxError || 'issues' in error;
}

/** What a program reads and writes. */
interface Terminal {
  readonly stdin: Readable;
  /** Only protocol while it serves. */
  readonly stdout: Writable;
  readonly stderr: Writable;
}
