import type { JsonObject } from '@searchgate/core/extensions';
import { isObject, ProtocolError, type RpcRequest } from './json-rpc.js';

/** Versions whose requests each name their version (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning, read 2026-11-27). */
const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];
/** Versions that begin with `initialize`, the newest first. */
const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** The newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
/** Where a server says its name. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** A header's value by lower-case name. */
type Header = (name: string) => string | undefined;

/** The version of an `initialize`: that of the client if it is supported, else the newest one, which the client may refuse. */
export function negotiated(version: string): string {
  return LEGACY_VERSIONS.includes(version) ? version : (LEGACY_VERSIONS[0] as string);
}

/** Whether a request has a version without a handshake. @param header `undefined` without HTTP. @throws ProtocolError */
export function isModern(request: RpcRequest, header: Header | undefined): boolean {
  const meta = metaOf(request);
  const version = meta[VERSION_KEY];
  if (version === undefined) {
    const inHeader = request.method === 'initialize' ? undefined : header?.('mcp-protocol-version');
    checkVersion(inHeader);
    if (MODERN_VERSIONS.includes(inHeader ?? '')) throw missing(VERSION_KEY);
    return false;
  }
  if (typeof version !== 'string') throw missing(VERSION_KEY);
  if (header !== undefined) checkHeaders(request, version, header);
  if (!MODERN_VERSIONS.includes(version)) throw unsupported(version);
  if (!isObject(meta[CAPABILITIES_KEY])) throw missing(CAPABILITIES_KEY);
  return true;
}

/** @param version `undefined` for that of clients older than the header. @throws ProtocolError for an unknown version. */
export function checkVersion(version: string | undefined): void {
  if (version !== undefined && !SUPPORTED_VERSIONS.includes(version)) throw unsupported(version);
}

/** The `_meta` of a request; empty for none. */
export function metaOf({ params }: RpcRequest): JsonObject {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : {};
}

/** Refuses headers that differ from the body: what routes a request by them must see what is served. */
function checkHeaders({ method, params }: RpcRequest, version: string, header: Header): void {
  const inBody = { 'MCP-Protocol-Version': version, 'Mcp-Method': method };
  const expected = Object.entries(method === 'tools/call' ? { ...inBody, 'Mcp-Name': params?.['name'] } : inBody);
  const wrong = expected.find(([name, value]) => decoded(header(name.toLowerCase())) !== value);
  if (wrong !== undefined)
    throw new ProtocolError('headerMismatch', `The header ${wrong[0]} does not match the body.`, { status: 400 });
}

/** Names that are no plain ASCII are sent as Base64. */
function decoded(value: string | undefined): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString();
}

function missing(key: string): ProtocolError {
  return new ProtocolError('invalidParams', `params._meta["${key}"] is missing.`, { status: 400 });
}

function unsupported(requested: string): ProtocolError {
  const data = { supported: SUPPORTED_VERSIONS, requested };
  return new ProtocolError('unsupportedProtocolVersion', 'Unsupported protocol version', { status: 400, data });
}
