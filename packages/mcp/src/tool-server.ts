import type { JsonObject } from '@searchgate/core/extensions';
import type { GatewaySource } from './gateway-source.js';
import { isObject, ProtocolError, type RpcRequest } from './json-rpc.js';
import type { ToolResult } from './tools/tool.js';
import type { Tools } from './tools/tools.js';
import { VERSION } from './version.js';
import { negotiated, SERVER_INFO_KEY, SUPPORTED_VERSIONS } from './versions.js';

const INFO = { name: 'searchgate', title: 'Searchgate', version: VERSION };
const ABOUT = {
  capabilities: { tools: {} },
  instructions:
    'search_answer searches the web and answers one question with numbered sources. Every call costs money, but list_models is free and shows prices.',
};
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
export async function resultOf({ method, params }: RpcRequest, serving: Serving): Promise<JsonObject> {
  if (params === null) throw invalid('params must be an object.');
  const result = await (method === 'tools/call' ? callTool(params, serving) : answerTo(method, params, serving));
  if (!serving.isModern) return result;
  return { resultType: 'complete', ...result, _meta: { ...(result['_meta'] as object), [SERVER_INFO_KEY]: INFO } };
}

function callTool(params: JsonObject, { tools, source, signal }: Serving): Promise<ToolResult> {
  const served = tools.get(textOf(params, 'name'));
  if (served === undefined) throw invalid('There is no tool of this name.');
  const args = params['arguments'] ?? {};
  if (!isObject(args)) throw invalid('params.arguments must be an object.');
  return served.call(args, source, signal);
}

function answerTo(method: string, params: JsonObject, { tools, isModern }: Serving): JsonObject {
  if (method === 'tools/list') {
    const list = { tools: [...tools.values()].map(({ tool }) => tool) };
    return isModern ? { ...list, ...CACHEABLE } : list;
  }
  if (isModern && method === 'server/discover')
    return { supportedVersions: SUPPORTED_VERSIONS, ...ABOUT, ...CACHEABLE };
  if (!isModern && method === 'ping') return {};
  if (!isModern && method === 'initialize')
    return { protocolVersion: negotiated(textOf(params, 'protocolVersion')), serverInfo: INFO, ...ABOUT };
  throw new ProtocolError('methodNotFound', 'There is no such method.', { status: isModern ? 404 : 200 });
}

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalid(`params.${name} must be a string.`);
  return value;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError('invalidParams', message);
}
