import type { UpstreamReason } from '../base/errors/reasons.js';

/** The content of a provider's error reply, in any of the known envelopes. */
export interface ProviderErrorInfo {
  /** Every machine-readable word found: `code`, `type`, `tag` and the like. */
  readonly codes: readonly string[];
  /** The text meant for people; empty when there is none. */
  readonly message: string;
  /** How long to wait, where the body says so: a number of seconds and an `s`, such as `28s`. */
  readonly retryDelay?: string | undefined;
}

/** What is read of an error: its words are matched against the provider's table, which has patterns made for a sentence. */
export const MAX_CODE_LENGTH = 200;
export const MAX_MESSAGE_LENGTH = 2_000;

/** One row of a provider's error table. All conditions that are given have to hold. */
interface ErrorRow {
  /** Absent for any status, a 2xx included: for providers whose codes mean the same whatever they come with. */
  readonly status?: number | readonly number[] | undefined;
  /** A word among the reply's codes, in any case; or a pattern one of them matches. */
  readonly code?: string | RegExp | undefined;
  readonly message?: RegExp | undefined;
  readonly reason: UpstreamReason;
}

/** What a provider does differently from {@link defaultReason}; the first row that fits decides. */
export type ErrorTable = readonly ErrorRow[];

const NO_INFO: ProviderErrorInfo = { codes: [], message: '' };

/** The reason of a reply that is not a success: the provider's own table first, the common meaning of the status after. */
export function classify(table: ErrorTable, status: number, info: ProviderErrorInfo = NO_INFO): UpstreamReason {
  return table.find((row) => fits(row, status, info))?.reason ?? defaultReason(status);
}

/** What an HTTP status means at a provider that keeps to the common meanings. A 2xx that has to be classified is no usable reply. */
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
