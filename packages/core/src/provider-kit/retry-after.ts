import type { UpstreamResponse } from '../upstream/upstream-client.js';

/** The longest wait that a provider can ask for. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** RFC 9110 §5.6.7 (June 2022): the only form of dates that servers may send. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const DECIMAL = /^\d{1,12}(?:\.\d{1,9})?$/;

/**
 * The wait that a provider asks for, in milliseconds from now, at most an hour. `null` when the reply names no wait in a
 * known form. Reads `retry-after-ms`, then `retry-after` in seconds (decimals too) or as a date.
 *
 * A date is compared with the reply's own `date` header, so that a wrong local clock does no harm, else with `nowMs`.
 * Without both, a date is ignored.
 */
export function retryAfterMs(response: Pick<UpstreamResponse, 'header'>, nowMs?: number): number | null {
  const milliseconds = decimal(response.header('retry-after-ms'));
  if (milliseconds !== null) return capped(milliseconds);
  const retryAfter = response.header('retry-after');
  const seconds = decimal(retryAfter);
  if (seconds !== null) return capped(seconds * 1_000);
  const untilMs = httpDate(retryAfter);
  const fromMs = httpDate(response.header('date')) ?? nowMs;
  return untilMs === null || fromMs === undefined ? null : capped(untilMs - fromMs);
}

/** A duration in the JSON form of Protocol Buffers (`28s`, `1.5s`), in milliseconds, at most an hour; `null` for any other text. */
export function durationMs(text: string | undefined): number | null {
  const seconds = text?.endsWith('s') ? decimal(text.slice(0, -1)) : null;
  return seconds === null ? null : capped(seconds * 1_000);
}

function capped(delayMs: number): number {
  return Math.min(Math.max(Math.ceil(delayMs), 0), MAX_RETRY_AFTER_MS);
}

function decimal(text: string | undefined): number | null {
  const trimmed = text?.trim() ?? '';
  return DECIMAL.test(trimmed) ? Number(trimmed) : null;
}

function httpDate(text: string | undefined): number | null {
  const trimmed = text?.trim() ?? '';
  const epochMs = HTTP_DATE.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(epochMs) ? null : epochMs;
}
