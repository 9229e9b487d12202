import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as second from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@modelcontextprotocol/client': ['the transport: `BASE/mcp`', '`Authorization: Bearer KEY`', ''],
  '@modelcontextprotocol/sdk': ['the transport: `BASE/mcp`', '`Authorization: Bearer KEY`', ''],
  '@modelcontextprotocol/inspector': [
    '`--cli BASE/mcp --transport http`',
    '`--header "Authorization: Bearer KEY"`',
    '',
  ],
  'mcp-remote': [
    '`mcp-remote BASE/mcp --transport http-only`',
    '`--header "Authorization: Bearer KEY"`',
    'For programs that only start servers over stdio.',
  ],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const url = `${base}/mcp`;
  const authorization = `Bearer ${apiKey}`;
  const requestInit = { headers: { authorization } };
  const header = ['--header', `Authorization: ${authorization}`];
  const cited = ({ structuredContent: { answer, citations } }) => answer.includes('In 2021 [1].') && citations[0].url;
  const found = ({ structuredContent: { results } }) => results[0].url;
  const question = { name: 'search_answer', arguments: { query: QUERY } };
  const search = { name: 'search', arguments: { query: QUERY, max_results: 3 } };
  return [
    {
      client: '@modelcontextprotocol/client',
      what: 'search_answer, of the newest protocol',
      call: () => called(newest(), new second.StreamableHTTPClientTransport(new URL(url), { requestInit }), question),
      shown: cited,
    },
    {
      client: '@modelcontextprotocol/sdk',
      what: 'search_answer, with progress',
      call: () => {
        const progress = { onprogress: () => undefined, resetTimeoutOnProgress: true };
        const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
        return called(new Client(AGENT), transport, question, undefined, progress);
      },
      shown: cited,
    },
    {
      client: '@modelcontextprotocol/sdk',
      what: 'fetch',
      call: () => {
        const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
        return called(new Client(AGENT), transport, { name: 'fetch', arguments: { id: PAGE } });
      },
      shown: ({ structuredContent }) => structuredContent.text.includes('The whole page.') && structuredContent.url,
    },
    {
      client: '@modelcontextprotocol/inspector',
      what: 'tools/call of search',
      call: async () => {
        const tool = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', `query=${QUERY}`];
        const args = [program('@modelcontextprotocol/inspector/cli/build/cli.js'), '--cli', url, '--transport', 'http'];
        const { stdout } = await promisify(execFile)(process.execPath, [...args, ...header, ...tool], { env: ENV });
        return JSON.parse(stdout);
      },
      shown: found,
    },
    {
      client: 'mcp-remote',
      what: 'search over stdio',
      call: () => {
        const args = [program('mcp-remote/dist/proxy.js'), url, '--transport', 'http-only', ...header];
        const server = { command: process.execPath, args, env: ENV, stderr: 'ignore' };
        return called(new Client(AGENT), new StdioClientTransport(server), search);
      },
      shown: found,
    },
  ];
}

const AGENT = { name: 'unchanged', version: '1.0.0' };
const newest = () => new second.Client(AGENT, { versionNegotiation: { mode: 'auto' } });
const program = (path) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
// The programs call no other machine, and write nothing into the user's home.
const ENV = {
  ...process.env,
  NODE_OPTIONS: `--import=${new URL('../only-loopback.mjs', import.meta.url)}`,
  MCP_REMOTE_CONFIG_DIR: program('.cache/mcp-remote'),
};

/** Calls a tool over a connection of its own. */
async function called(client, transport, ...call) {
  await client.connect(transport);
  try {
    return await client.callTool(...call);
  } finally {
    await client.close();
  }
}
