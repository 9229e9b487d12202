import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '@searchgate/core/extensions';
import { z } from 'zod';

// Schemas of only the parameters that the server reads. The SDK's schemas report every invalid entry of lists that the server ignores: an
// `initialize` of 60 kB blocked a gateway for half a second and got 7 MB in reply.

const READ = new Map<unknown, readonly string[]>([
  ['initialize', ['protocolVersion']],
  ['tools/call', ['name', 'arguments']],
]);

/** A message with only the parameters that the server reads. */
export function withReadParams(message: JsonObject): JsonObject {
  const { method, params } = message;
  if (!isObject(params)) return message;
  const names = READ.get(method) ?? [];
  return { ...message, params: Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))) };
}

export const PING = requestOf('ping', () => undefined);

export const INITIALIZE = requestOf('initialize', (params) => ({
  protocolVersion: text(params, 'protocolVersion'),
}));

export const LIST_TOOLS = requestOf('tools/list', () => undefined);

export const CALL_TOOL = requestOf('tools/call', (params) => ({
  name: text(params, 'name'),
  arguments: objectOf(params['arguments'] ?? {}, 'params.arguments'),
}));

/** The schema of a method's requests. @param read @throws McpError for invalid parameters. */
function requestOf<Method extends string, Params>(method: Method, read: (params: JsonObject) => Params) {
  const params = z
    .unknown()
    .optional()
    .transform((given) => read(objectOf(given ?? {}, 'params')));
  return z.object({ method: z.literal(method), params });
}

function text(params: JsonObject, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : invalid(`params.${name} must be a string.`);
}

function objectOf(value: unknown, path: string): JsonObject {
  return isObject(value) ? value : invalid(`${path} must be an object.`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): never {
  throw new McpError(ErrorCode.InvalidParams, message);
}
