import type { JsonObject } from '@searchgate/core/extensions';
import type { GatewaySource } from './gateway-source.js';
import { isObject, ProtocolError, type RpcRequest } from './json-rpc.js';
import type { Tools } from './tools/tools.js';
import { VERSION } from './version.js';
import { negotiated, SERVER_INFO_KEY, SUPPORTED_VERSIONS } from './versions.js';

const INFO = { name: 'searchgate', title: 'Searchgate', version: VERSION };
/** The same for all callers. After a change of the options, clients see it within the hour. */
const CACHEABLE = { ttlMs: 3_600_000, cacheScope: 'public' };

export interface Serving {
  readonly tools: Tools;
  readonly source: GatewaySource;
  readonly signal: AbortSignal;
  /** Whether the request has a version without a handshake. */
  readonly isModern: boolean;
}

/**
 * The result of a request. Arguments of tools are passed on unchecked: the gateway checks them, and its errors name the field.
 *
 * @throws ProtocolError
 */
export async function resultOf(request: RpcRequest, serving: Serving): Promise<JsonObject> {
  const { params } = request;
  if (params === null) throw invalid('params must be an object.');
  const method = (serving.isModern ? MODERN_METHODS : LEGACY_METHODS).get(request.method);
  if (method === undefined)
    throw new ProtocolError('methodNotFound', 'There is no such method.', { status: serving.isModern ? 404 : 200 });
  const result = await method(params, serving);
  if (!serving.isModern) return result;
  return { resultType: 'complete', ...result, _meta: { ...(result['_meta'] as object), [SERVER_INFO_KEY]: INFO } };
}

type Method = (params: JsonObject, serving: Serving) => JsonObject | Promise<JsonObject>;

const callTool: Method = (params, { tools, source, signal }) => {
  const call = tools.calls.get(textOf(params, 'name'));
  if (call === undefined) throw invalid('There is no tool of this name.');
  const args = params['arguments'] ?? {};
  if (!isObject(args)) throw invalid('params.arguments must be an object.');
  return call(args, source, signal);
};

const LEGACY_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['ping', () => ({})],
  [
    'initialize',
    (params, { tools }) => ({
      protocolVersion: negotiated(textOf(params, 'protocolVersion')),
      capabilities: { tools: {} },
      serverInfo: INFO,
      instructions: tools.instructions,
    }),
  ],
  ['tools/list', (_params, { tools }) => ({ tools: tools.list })],
  ['tools/call', callTool],
]);

const MODERN_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'server/discover',
    (_params, { tools }) => ({
      supportedVersions: SUPPORTED_VERSIONS,
      capabilities: { tools: {} },
      instructions: tools.instructions,
      ...CACHEABLE,
    }),
  ],
  ['tools/list', (_params, { tools }) => ({ tools: tools.list, ...CACHEABLE })],
  ['tools/call', callTool],
]);

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalid(`params.${name} must be a string.`);
  return value;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError('invalidParams', message);
}
