import type { ErrorEnvelope, Reason } from '@searchgate/core';
import { replyJson } from './reply-text.js';
import { clientError, SearchgateError } from './searchgate-error.js';

/** Statuses that proxies and load balancers send while a gateway is busy, slow or restarting. */
const PASSING_STATUSES = [408, 429, 502, 503, 504];

/** The error of a reply that is not 2xx. @throws SearchgateError `connection_failed` */
export async function errorReply(response: Response): Promise<SearchgateError> {
  const { status, headers } = response;
  return gatewayError(await replyJson(response), { status, headers }) ?? invalidReply(response);
}

/** The error for a reply that does not come from a gateway. */
export function invalidReply({ status, headers }: Pick<Response, 'status' | 'headers'>): SearchgateError {
  return clientError('invalid_reply', {
    // Browsers report the status 0 for a redirect.
    status: status === 0 ? null : status,
    retryable: PASSING_STATUSES.includes(status),
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  });
}

/** The error in a gateway's JSON; `undefined` for any other JSON. */
export function gatewayError(
  body: unknown,
  { status, headers }: { readonly status?: number; readonly headers?: Headers },
): SearchgateError | undefined {
  const error = (body as Partial<ErrorEnvelope> | null | undefined)?.error;
  if (typeof error?.reason !== 'string' || typeof error.message !== 'string') return undefined;
  const { reason, message, code, param, retryable, request_id: requestId, metadata } = error;
  // Pages of another origin see only the headers that CORS exposes.
  const fromBody = (metadata as { readonly retry_after?: number } | null)?.retry_after;
  const wait = headers?.get('retry-after') ?? (fromBody === undefined ? null : String(fromBody));
  return new SearchgateError<Reason>(reason, message, {
    status: status ?? code,
    metadata,
    param,
    retryable,
    requestId,
    retryAfterMs: retryAfterMs(wait),
  }) as SearchgateError;
}

/** Reads seconds, or the date that a proxy may send; `null` for anything else. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1_000;
  const ms = /^[A-Z][a-z]{2}, .+ GMT$/.test(header) ? Date.parse(header) - Date.now() : Number.NaN;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
