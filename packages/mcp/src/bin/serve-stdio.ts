import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createToolServer } from '../tool-server.js';
import { createTools } from '../tools/tools.js';
import { type RemoteGateway, remoteSource } from './remote-source.js';
import type { Terminal } from './terminal.js';

/** Serves the tools of a gateway until the client closes standard input, or no longer reads standard output. Calls under way are given up then. */
export async function serveStdio(
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
