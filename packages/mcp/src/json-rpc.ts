import type { JsonObject } from '@searchgate/core/extensions';

/** JSON-RPC 2.0 §5.1, and the codes of MCP 2026-07-28 (Base Protocol, "Error Codes"). */
export const CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Reserved for servers. Errors of HTTP have this code in the official SDK. */
  serverError: -32_000,
  headerMismatch: -32_020,
  unsupportedProtocolVersion: -32_022,
} as const;

/** A message that gets an error as its reply. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly status: number;
  readonly data: JsonObject | undefined;

  /** @param status of HTTP. */
  constructor(code: keyof typeof CODES, message: string, { status = 200, data }: ProtocolErrorOptions = {}) {
    super(message);
    this.code = CODES[code];
    this.status = status;
    this.data = data;
  }
}

interface ProtocolErrorOptions {
  readonly status?: number;
  readonly data?: JsonObject;
}

export type RequestId = string | number;

/** A message that gets a reply. */
export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  /** `null` if they are no object. */
  readonly params: JsonObject | null;
}

/** @returns `null` for a notification or a response, which get no reply. @throws ProtocolError for anything else. */
export function readRequest(message: JsonObject): RpcRequest | null {
  const { jsonrpc, id, method, params = {} } = message;
  const isResponse = method === undefined && ('result' in message || 'error' in message);
  if (jsonrpc !== '2.0' || (!isResponse && typeof method !== 'string'))
    throw new ProtocolError('invalidRequest', 'The body is not a JSON-RPC message.', { status: 400 });
  if (isResponse || id === undefined) return null;
  if (!isRequestId(id)) throw unrepeatable('id');
  return { id, method: method as string, params: isObject(params) ? params : null };
}

/** JSON.parse rounds larger integers, and a reply with another id is lost. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The error of a message whose reply could not repeat a field. */
export function unrepeatable(field: string): ProtocolError {
  const message = `${field} must be a string or an integer of at most 53 bits.`;
  return new ProtocolError('invalidRequest', message, { status: 400 });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The reply to a request that failed. Callers never see the text of an unexpected error. */
export function failureReply(id: RequestId | null, error: unknown): JsonObject {
  const known = error instanceof ProtocolError ? error : new ProtocolError('internalError', 'Internal error');
  const { code, message, data } = known;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
}
