import type { TextResponse } from './gateway-request.js';

/** A JSON response that no cache may keep. */
export function jsonResponse(requestId: string, text: string, { status, headers }: ResponseHead = OK): TextResponse {
  // Spreading the common headers would cost more than the rest of this function.
  const own = {
    'content-type': JSON_UTF8,
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
  };
  return { status, headers: headers === undefined ? own : Object.assign(own, headers), body: text };
}

/** The headers of every response, with or without a body. */
export function commonHeaders(requestId: string): { 'x-request-id': string; 'x-content-type-options': string } {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
}

export interface ResponseHead {
  readonly status: number;
  /** In addition to the headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const JSON_UTF8 = 'application/json; charset=utf-8';

const OK: ResponseHead = { status: 200 };
