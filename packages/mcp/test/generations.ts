import { Client as SecondClient, StreamableHTTPClientTransport as SecondTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Mounted } from './hosts.js';
import { KEY } from './mounted-gateway.js';

/** The part of a client that both generations of the official SDK have. */
export interface AnyClient {
  /** The versions of the requests that it has sent. */
  readonly versions: ReadonlySet<string | null>;
  /** The types of the responses to calls of tools. */
  readonly contentTypes: readonly (string | null)[];
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(args: object, onprogress?: (progress: { readonly progress: number }) => void): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

type Connect = (to: Mounted) => Promise<AnyClient>;

/** Every client, pinned to every version that it can speak; `auto` finds the newest one by itself. */
export const CLIENTS: readonly [generation: string, pin: string, version: string, connect: Connect][] = [
  ...LEGACY.map((version): Pinned => ['first', version, version, (to) => first(to, version)]),
  ...LEGACY.map((version): Pinned => ['second', version, version, (to) => second(to, version)]),
  ['second', '2026-07-28', '2026-07-28', (to) => second(to, '2026-07-28')],
  ['second', 'auto', '2026-07-28', (to) => second(to, 'auto')],
];
type Pinned = (typeof CLIENTS)[number];

/** The first generation always offers its newest version, so its `initialize` is rewritten on the way. */
async function first(to: Mounted, version: string): Promise<AnyClient> {
  const { watch, send } = watched(to, (body) =>
    body['method'] === 'initialize'
      ? { ...body, params: { ...(body['params'] as object), protocolVersion: version } }
      : body,
  );
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(`${to.url}/api/v1/mcp`), { fetch: send, requestInit: { headers } }));
  return {
    ...watch,
    listTools: () => client.listTools(),
    callTool: (args, onprogress) =>
      client.callTool({ name: 'search_answer', arguments: { ...args } }, undefined, onprogress && { onprogress }),
    close: () => client.close(),
  };
}

/** The second generation is pinned by its options. */
async function second(to: Mounted, version: string): Promise<AnyClient> {
  const { watch, send } = watched(to, (body) => body);
  const options = LEGACY.includes(version)
    ? { supportedProtocolVersions: [version] }
    : { versionNegotiation: { mode: version === 'auto' ? ('auto' as const) : { pin: version } } };
  const client = new SecondClient(INFO, options);
  await client.connect(new SecondTransport(new URL(`${to.url}/api/v1/mcp`), { fetch: send, requestInit: { headers } }));
  return {
    ...watch,
    listTools: () => client.listTools(),
    callTool: (args, onprogress) =>
      client.callTool({ name: 'search_answer', arguments: { ...args } }, onprogress && { onprogress }),
    close: () => client.close(),
  };
}

const headers = { authorization: `Bearer ${KEY}` };

/** A `fetch` that notes what is sent. */
function watched({ fetch: send }: Mounted, rewrite: (body: Record<string, unknown>) => object) {
  const versions = new Set<string | null>();
  const contentTypes: (string | null)[] = [];
  const noting: typeof fetch = async (input, init) => {
    if (typeof init?.body !== 'string') return send(input, init);
    const body = JSON.parse(init.body) as Record<string, unknown>;
    if (body['method'] !== 'initialize') versions.add(new Headers(init.headers).get('mcp-protocol-version'));
    const response = await send(input, { ...init, body: JSON.stringify(rewrite(body)) });
    if (body['method'] === 'tools/call') contentTypes.push(response.headers.get('content-type'));
    return response;
  };
  return { watch: { versions, contentTypes }, send: noting };
}
