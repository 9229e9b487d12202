import { UpstreamError } from '../base/errors/upstream-error.js';
import { redact } from './redact.js';

/** How far an exchange came: `connect` up to the moment the request is written, `headers` up to the final status, `body` after. */
export type ExchangePhase = 'connect' | 'headers' | 'body';

/** Where an exchange stood when it failed. */
export interface ExchangeState {
  readonly phase: ExchangePhase;
  readonly status: number | null;
}

/** Our own far limits within undici: met only by an exchange whose deadline was cleared while it was under way. */
const TIMEOUTS = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
/** The request cannot be put on the wire, for example because a key contains a line break: no retry will help. */
const UNSENDABLE = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'];

/** A head that no reply can be read behind: too large, or with lengths that contradict each other (`Content-Length` twice, or beside chunks). */
const BROKEN_HEADS = ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'];

/** Not recognized by its code, which undici 7.30.2 leaves out. */
const PARSER_ERROR = 'HTTPParserError';

/** Classifies what undici reports: a failure below the level of a complete HTTP reply. */
export function transportFailure(error: Error, { phase, status }: ExchangeState): UpstreamError {
  const code = codeOf(error);
  const detail = redact(`${code} ${error.message}`);
  // A parser error carries the raw bytes it failed on, which are not redacted.
  const options = { phase, status, detail, ...(error.name === PARSER_ERROR ? {} : { cause: error }) };
  if (TIMEOUTS.includes(code)) return new UpstreamError('upstream_timeout', options);
  if (UNSENDABLE.includes(code)) return new UpstreamError('upstream_rejected', options);
  if (phase === 'body' || isBrokenHttp(code, error)) return new UpstreamError('upstream_invalid_response', options);
  return new UpstreamError('upstream_unreachable', options);
}

/** Something answered, but not in the HTTP/1.1 undici understands. It has no code of its own for replies out of place, such as 101. */
function isBrokenHttp(code: string, { name, message }: Error): boolean {
  if (name === PARSER_ERROR || BROKEN_HEADS.includes(code)) return true;
  return code === 'UND_ERR_SOCKET' && (message === 'bad response' || message === 'bad upgrade');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
