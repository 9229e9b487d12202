import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as second from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PAGE, QUERY, rowsOf } from '../row.mjs';

const BEARER = '`Authorization: Bearer KEY`';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@modelcontextprotocol/client': ['`BASE/mcp`', BEARER, ''],
  '@modelcontextprotocol/sdk': ['`BASE/mcp`', BEARER, ''],
  '@modelcontextprotocol/inspector': ['`--cli BASE/mcp --transport http`', `\`--header\` ${BEARER}`, ''],
  'mcp-remote': ['`mcp-remote BASE/mcp --transport http-only`', `\`--header\` ${BEARER}`, ''],
};

const AGENT = { name: 'unchanged', version: '1.0.0' };
const program = (path) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
// The programs call no other machine, and write nothing into the user's home.
const env = {
  ...process.env,
  NODE_OPTIONS: `--import=${new URL('../only-loopback.mjs', import.meta.url)}`,
  MCP_REMOTE_CONFIG_DIR: program('.cache/mcp-remote'),
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const url = `${base}/mcp`;
  const authorization = `Bearer ${apiKey}`;
  const header = ['--header', `Authorization: ${authorization}`];
  const over = (Transport) => new Transport(new URL(url), { requestInit: { headers: { authorization } } });
  const cited = ({ structuredContent: { answer, citations } }) => answer.includes('In 2021 [1].') && citations[0].url;
  const found = ({ structuredContent: { results } }) => results[0].url;
  const question = { name: 'search_answer', arguments: { query: QUERY } };
  const fetched = { name: 'fetch', arguments: { id: PAGE } };
  const search = { name: 'search', arguments: { query: QUERY, max_results: 3 } };
  const read = ({ structuredContent: page }) => page.text.includes('The whole page.') && page.url;
  const progress = { onprogress: () => undefined, resetTimeoutOnProgress: true };
  const newest = () => new second.Client(AGENT, { versionNegotiation: { mode: 'auto' } });
  const http = () => over(StreamableHTTPClientTransport);
  const tool = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', `query=${QUERY}`];
  const inspector = [program('@modelcontextprotocol/inspector/cli/build/cli.js'), '--cli', url, '--transport', 'http'];
  const inspect = () => promisify(execFile)(process.execPath, [...inspector, ...header, ...tool], { env });
  const remote = [program('mcp-remote/dist/proxy.js'), url, '--transport', 'http-only', ...header];
  const stdio = () => new StdioClientTransport({ command: process.execPath, args: remote, env, stderr: 'ignore' });
  return [
    ...rowsOf('@modelcontextprotocol/client', [
      ['search_answer', () => called(newest(), over(second.StreamableHTTPClientTransport), question), cited],
    ]),
    ...rowsOf('@modelcontextprotocol/sdk', [
      ['search_answer', () => called(new Client(AGENT), http(), question, undefined, progress), cited],
      ['fetch', () => called(new Client(AGENT), http(), fetched), read],
    ]),
    ...rowsOf('@modelcontextprotocol/inspector', [['search', inspect, ({ stdout }) => found(JSON.parse(stdout))]]),
    ...rowsOf('mcp-remote', [['search', () => called(new Client(AGENT), stdio(), search), found]]),
  ];
}

/** Calls a tool over a connection of its own. */
async function called(client, transport, ...call) {
  await client.connect(transport);
  try {
    return await client.callTool(...call);
  } finally {
    await client.close();
  }
}
