import { parseArgs } from 'node:util';
import type { ToolModels } from '../tools/tools.js';
import { VERSION } from '../version.js';
import type { RemoteGateway } from './remote-source.js';

const USAGE = `Usage: searchgate-mcp [--url <address>]

An MCP server on standard input and output that asks a Searchgate gateway.

  --url <address>  where the gateway is mounted, such as https://api.example.com/search
  --help           prints this
  --version        prints the version

Environment:
  SEARCHGATE_URL      the same as --url, which comes first
  SEARCHGATE_API_KEY  the key to ask with (required)
  SEARCHGATE_MODEL    the model to ask where the agent names none, such as exa/answer
  SEARCHGATE_SEARCH   the model of the tool search, such as exa/auto; without, there is no such tool
  SEARCHGATE_FETCH    the model of the tool fetch, such as exa/contents; without, there is no such tool`;

/** The command of a command line. */
export type Command =
  | { readonly kind: 'print' | 'refuse'; readonly text: string }
  | ({ readonly kind: 'serve'; readonly models: ToolModels } & RemoteGateway);

/** An empty variable counts as absent: the settings of many clients cannot omit a variable. */
export function readCommand(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const options = readArguments(argv);
  if (typeof options === 'string') return refuse(options);
  if (options.help === true) return { kind: 'print', text: USAGE };
  if (options.version === true) return { kind: 'print', text: VERSION };
  const address = options.url ?? environment['SEARCHGATE_URL'] ?? '';
  if (address === '') return refuse('SEARCHGATE_URL is missing: the address the gateway is mounted at.');
  const url = readUrl(address);
  if (url === undefined)
    return refuse(
      'SEARCHGATE_URL is no address such as https://api.example.com/search, without user, query and fragment.',
    );
  const apiKey = environment['SEARCHGATE_API_KEY'] ?? '';
  if (!/^[\x21-\x7e]{1,512}$/.test(apiKey))
    return refuse(
      `SEARCHGATE_API_KEY ${apiKey === '' ? 'is missing' : 'is not an API key'}: the key to ask the gateway with.`,
    );
  const { SEARCHGATE_MODEL: answer, SEARCHGATE_SEARCH: search, SEARCHGATE_FETCH: page } = environment;
  const models = { defaultModel: answer || undefined, search: search || undefined, fetch: page || undefined };
  return { kind: 'serve', url, apiKey, models };
}

function readArguments(argv: readonly string[]) {
  const options = { url: { type: 'string' }, help: { type: 'boolean' }, version: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @returns the URL without a trailing slash. */
function readUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const { origin, pathname, username, password, search, hash } = url;
  return username + password + search + hash === '' ? origin + pathname.replace(/\/$/, '') : undefined;
}

function refuse(problem: string): Command {
  return { kind: 'refuse', text: `searchgate-mcp: ${problem}\nsearchgate-mcp --help says more.` };
}
