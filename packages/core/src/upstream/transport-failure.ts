import { UpstreamError } from '../base/errors/upstream-error.js';
import { redact } from './redact.js';

/** The phase of an exchange: `connect` until the request is written, `headers` until the final status, then `body`. */
export type ExchangePhase = 'connect' | 'headers' | 'body';

/** The state of an exchange when it failed. */
export interface ExchangeState {
  readonly phase: ExchangePhase;
  readonly status: number | null;
}

/** Undici's timeouts, set very high. Only an exchange whose deadline was cleared before its end reaches them. */
const TIMEOUTS = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
/** The request cannot be sent, for example because a key contains a line break: no retry will help. */
const UNSENDABLE = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'];

/** A head after which no body can be read: too large, or with contradictory lengths (`Content-Length` twice, or together with chunks). */
const BROKEN_HEADS = ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'];

/** Recognized by its name, because undici 7.30.2 gives it no code. */
const PARSER_ERROR = 'HTTPParserError';

/** Classifies undici's errors: failures before a complete HTTP reply. */
export function transportFailure(error: Error, { phase, status }: ExchangeState): UpstreamError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const detail = redact(`${code} ${error.message}`);
  // A parser error contains the raw bytes on which it failed. They are not redacted, so it is not kept as the cause.
  const options = { phase, status, detail, ...(error.name === PARSER_ERROR ? {} : { cause: error }) };
  if (TIMEOUTS.includes(code)) return new UpstreamError('upstream_timeout', options);
  if (UNSENDABLE.includes(code)) return new UpstreamError('upstream_rejected', options);
  if (phase === 'body' || isBrokenHttp(code, error)) return new UpstreamError('upstream_invalid_response', options);
  return new UpstreamError('upstream_unreachable', options);
}

/** The server answered, but not in HTTP/1.1 that undici understands. Unexpected replies, such as 101, have no code of their own in undici. */
function isBrokenHttp(code: string, { name, message }: Error): boolean {
  if (name === PARSER_ERROR || BROKEN_HEADS.includes(code)) return true;
  return code === 'UND_ERR_SOCKET' && (message === 'bad response' || message === 'bad upgrade');
}
