import { isUtf8 } from 'node:buffer';
import { RequestError } from '../base/errors/request-error.js';
import type { RequestBody } from './gateway-request.js';

const MAX_DEPTH = 32;
const BYTE_ORDER_MARK = 0xfeff;

/** A JSON object whose fields have not been checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses a request body to a JSON object.
 *
 * @throws RequestError `malformed_json` when the body is not UTF-8, not JSON, not an object, or nested more than 32 levels deep.
 */
export function parseJsonObject(body: RequestBody): JsonObject {
  const value = 'bytes' in body ? parseBytes(body.bytes) : body.parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isDeeperThan(MAX_DEPTH, value)) {
    throw new RequestError('malformed_json');
  }
  return value as JsonObject;
}

function parseBytes(bytes: Uint8Array): unknown {
  // Decoding would silently replace broken characters, and the changed query would go to a provider.
  if (!isUtf8(bytes)) throw new RequestError('malformed_json');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    // Some Windows tools write a byte order mark. RFC 8259 lets a parser ignore it, and the hosts' body parsers do.
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch {
    // The parser's own message quotes the body.
    throw new RequestError('malformed_json');
  }
}

function isDeeperThan(levels: number, value: object): boolean {
  if (levels === 0) return true;
  for (const child of Object.values(value) as unknown[]) {
    if (typeof child === 'object' && child !== null && isDeeperThan(levels - 1, child)) return true;
  }
  return false;
}
