import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client as SecondClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as SecondTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ERROR_META } from '../src/tools/tool.js';
import { HOSTS, type Mounted } from './hosts.js';
import { CITATION, KEY, MARKED, MODEL, startGateway, type TestGateway } from './mounted-gateway.js';

const PROGRAM = join(import.meta.dirname, '../src/bin/searchgate-mcp.ts');
/** Runs the program from source, in any folder. */
const ARGS = ['--conditions=@searchgate/source', '--import', import.meta.resolve('tsx/esm'), PROGRAM];

let running: TestGateway;
let mounted: Mounted;
beforeAll(async () => {
  running = startGateway();
  mounted = await HOSTS['Express']!(running.gateway);
});
afterAll(() => mounted.close());

/** Runs the program to its end on this input. It sees only these variables and PATH. */
async function run(environment: Record<string, string>, input: string) {
  const child = spawn(process.execPath, ARGS, { env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

describe('the program searchgate-mcp', () => {
  it('gives the SDK’s client the tools of a gateway over stdio', async () => {
    const env = { SEARCHGATE_URL: mounted.url, SEARCHGATE_API_KEY: KEY, SEARCHGATE_MODEL: MODEL };
    const transport = new StdioClientTransport({ command: process.execPath, args: ARGS, env, stderr: 'pipe' });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_answer', 'list_models']);
    expect(await client.callTool({ name: 'search_answer', arguments: { query: 'How much leave?' } })).toMatchObject({
      content: [{ text: MARKED.text }],
      structuredContent: { answer: MARKED.answer, citations: [MARKED.citation], model: MODEL, cost: 0.01 },
    });
    expect(await client.callTool({ name: 'list_models', arguments: {} })).toMatchObject({
      structuredContent: {
        models: [{ id: MODEL, pricing: { unit: 'USD', request: '0.01' }, options: ['include_domains', 'freshness'] }],
      },
    });
    const refused = await client.callTool({
      name: 'search_answer',
      arguments: { query: 'Q', model: 'handbook/answr' },
    });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Choose one of these models: handbook/answer.') }],
      _meta: { [ERROR_META]: { reason: 'model_not_found', code: 404 } },
    });
    await client.close();
  });

  it.each<[string, ConstructorParameters<typeof SecondClient>[1], string]>([
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }, '2026-07-28'],
    ['what the server knows', { versionNegotiation: { mode: 'auto' } }, '2026-07-28'],
    ['2025-06-18', { supportedProtocolVersions: ['2025-06-18'] }, '2025-06-18'],
  ])('serves the second generation of the SDK, pinned to %s', async (_pin, options, version) => {
    const env = {
      SEARCHGATE_URL: mounted.url,
      SEARCHGATE_API_KEY: KEY,
      SEARCHGATE_SEARCH: 'handbook/find',
      SEARCHGATE_FETCH: 'handbook/read',
    };
    const client = new SecondClient({ name: 'test', version: '1.0.0' }, options);
    await client.connect(new SecondTransport({ command: process.execPath, args: ARGS, env, stderr: 'pipe' }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_answer', 'search', 'fetch', 'list_models']);
    expect(await client.callTool({ name: 'search', arguments: { query: 'leave' } })).toMatchObject({
      structuredContent: { results: [{ id: CITATION.url }, { title: 'example.org' }], cost: 0.01 },
    });
    expect(await client.callTool({ name: 'fetch', arguments: { id: CITATION.url } })).toMatchObject({
      structuredContent: { id: CITATION.url, title: 'example.org', metadata: { truncated: false, cost: 0.01 } },
    });
    const { structuredContent } = await client.callTool({ name: 'list_models', arguments: {} });
    const categories = (structuredContent as { models: { category: string }[] }).models.map(({ category }) => category);
    expect([...new Set(categories)].sort()).toEqual(['answer', 'extract', 'search']);
    await client.close();
  });

  it('writes only protocol messages, and ends when its input ends', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const input = `${JSON.stringify(initialize)}\nno JSON\n{}\n`;
    const { code, stdout, stderr } = await run({ SEARCHGATE_URL: mounted.url, SEARCHGATE_API_KEY: KEY }, input);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'searchgate' } } });
    expect(stderr).toBe('searchgate-mcp: a line of standard input is not a JSON-RPC message\n'.repeat(2));
    expect(code).toBe(0);
  });
});
