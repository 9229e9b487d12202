import type { GatewayResponse } from '../src/index.js';

/** The body of a whole response; `''` for none. */
export function bodyText(response: Pick<GatewayResponse, 'body'> | undefined): string {
  const body = response?.body ?? '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  throw new Error('the response is a stream');
}
