import type { z } from 'zod';
import type { UpstreamReason } from '../base/errors/reasons.js';

/** The content of a provider's error reply, in any of the known envelopes. */
export interface ProviderErrorInfo {
  /** Every machine-readable word found: `code`, `type`, `tag` and the like. */
  readonly codes: readonly string[];
  /** The message for people; may be empty. */
  readonly message: string;
  /** The wait that the body asks for: a number of seconds and an `s`, such as `28s`. */
  readonly retryDelay?: string | undefined;
}

/** Longer words and messages are ignored or cut: the patterns of the providers' tables are made for single sentences. */
export const MAX_CODE_LENGTH = 200;
export const MAX_MESSAGE_LENGTH = 2_000;

/** One row of a provider's error table. All given conditions must hold. */
interface ErrorRow {
  /** Absent for any status, including 2xx: for codes whose meaning does not depend on the status. */
  readonly status?: number | readonly number[] | undefined;
  /** One of the reply's codes, in upper or lower case; or a pattern that a code matches. */
  readonly code?: string | RegExp | undefined;
  /** A pattern that the message matches. */
  readonly message?: RegExp | undefined;
  /** The class of the error. */
  readonly reason: UpstreamReason;
}

/** A provider's differences from {@link defaultReason}. The first row that fits decides. */
export type ErrorTable = readonly ErrorRow[];

const NO_INFO: ProviderErrorInfo = { codes: [], message: '' };

/** The reason of a failed reply, by the provider's own table, else by words that several vendors have, else by the common meaning of the status. */
export function classify(table: ErrorTable, status: number, info: ProviderErrorInfo = NO_INFO): UpstreamReason {
  const own = table.find((row) => fits(row, status, info))?.reason;
  return own ?? (isCallersMistake(status, info) ? 'query_rejected' : defaultReason(status));
}

/**
 * Words for what only a caller can mend, because nothing of the gateway's own is long in a request, or a domain. Of replies quoted in public, 2024-02 to
 * 2026-09, read 2026-11-29. No word is about a field with `_`, such as the longest output, which is the host's.
 */
const CALLERS_MISTAKE = new RegExp(
  [
    // Tavily: "Query is too short. Min query length is 2 characters." Alibaba: "document index:0 is invalid, it should not be larger than 300000".
    String.raw`\b(?:query|prompt|input|text|document)s?\b[^_]{0,80}\b(?:too (?:long|short|large)|not be larger)`,
    String.raw`too many tokens|exceeding max \d+ tokens|token count .{0,80}exceeds`,
    'max(?:imum)? (?:context|input|prompt|query) length|context window|range of input length',
    // Tavily: "Query cannot consist only of site: operators", "All domains in include_domains are invalid: ['nhs.uk']".
    String.raw`cannot consist only of|domains?\b.{0,60}\binvalid\b|\binvalid domain`,
  ].join('|'),
  'i',
);

/** Words of the host's account, which no caller can mend. */
const HOSTS_MISTAKE = /\bapi.?key\b|\byour account\b|\bbilling\b|\binsufficient\b|\bper minute\b/i;

function isCallersMistake(status: number, info: ProviderErrorInfo): boolean {
  if (HOSTS_MISTAKE.test(info.message)) return false;
  return isTooMuchTogether(status, info) || (CALLERS_STATUSES.includes(status) && CALLERS_MISTAKE.test(info.message));
}

const CALLERS_STATUSES: readonly number[] = [400, 422];

/**
 * Words for texts that are too many for one request. Mistral: code 3210, "Too many tokens overall, split into more batches" (2026-02), "Too many tokens in
 * batch" (2025-02); OpenAI: "max 300000 tokens per request" (2025-10); Voyage: "per submitted batch" (2026-04); Alibaba: "batch size is invalid" (2025-11);
 * Cohere: "total number of texts must be at most 96". Read 2026-11-29.
 */
const TOGETHER = /^3210\b|\bbatch(?:es)?\b|\btokens per request\b|\bnumber of texts\b/i;

/** Whether a request was too large as a whole: its parts may fit. */
export function isTooMuchTogether(status: number, { codes, message }: ProviderErrorInfo): boolean {
  return status === 413 || (CALLERS_STATUSES.includes(status) && TOGETHER.test([...codes, message].join(' ')));
}

/** The common meaning of an HTTP status. A 2xx that is classified at all was no usable reply. */
export function defaultReason(status: number): UpstreamReason {
  if (status >= 200 && status < 300) return 'upstream_invalid_response';
  if (status === 401 || status === 403) return 'upstream_auth_failed';
  if (status === 402) return 'upstream_quota_exhausted';
  if (status === 429) return 'upstream_rate_limited';
  if (status === 408 || status === 409 || status >= 500) return 'upstream_error';
  return 'upstream_rejected';
}

function fits(row: ErrorRow, status: number, info: ProviderErrorInfo): boolean {
  const statuses = typeof row.status === 'number' ? [row.status] : row.status;
  if (statuses?.includes(status) === false) return false;
  if (row.message !== undefined && !row.message.test(info.message)) return false;
  const { code } = row;
  if (code === undefined) return true;
  return info.codes.some((word) =>
    typeof code === 'string' ? word.toLowerCase() === code.toLowerCase() : code.test(word),
  );
}

/** The content of a provider's error reply. A reply without code and message is no error. */
export interface OwnError {
  /** The provider's name or number of the error. */
  readonly code?: string | number | null | undefined;
  /** The provider's words, which no caller sees. */
  readonly message?: string | null | undefined;
}

/** Reads {@link OwnError} from an error reply in the provider's own envelope. A reply that does not fit is no error. */
export type ErrorReply = z.ZodType<OwnError>;

/** The error in a body or an event, by the provider's own envelope; `undefined` for no error. */
export function readOwnError(body: unknown, errorReply: ErrorReply | undefined): ProviderErrorInfo | undefined {
  const { code, message } = errorReply?.safeParse(body).data ?? {};
  const codes = code === undefined || code === null || code === '' ? [] : [String(code)];
  if (codes.length === 0 && !message) return undefined;
  return {
    codes: codes.filter((word) => word.length <= MAX_CODE_LENGTH),
    message: (message ?? '').slice(0, MAX_MESSAGE_LENGTH),
  };
}
