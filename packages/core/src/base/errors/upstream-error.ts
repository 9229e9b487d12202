import type { MeteredUsage } from '../metered-usage.js';
import type { NanoUsd } from '../money.js';
import { firstCharacters, wellFormed } from '../options/characters.js';
import type { FailedPagesDetails } from './error-details.js';
import { bigintsToStrings, GatewayError, isGatewayError } from './gateway-error.js';
import { REASONS, type UpstreamPhase, type UpstreamReason } from './reasons.js';

/** The longest detail of an error, in characters. */
export const MAX_DETAIL_CHARACTERS = 300;

/** What an adapter knows of a failure. @default of each field: unknown */
export interface UpstreamErrorOptions {
  /** How far the exchange came. */
  readonly phase: UpstreamPhase;
  /** The provider's HTTP status; `null` without a response. */
  readonly status?: number | null | undefined;
  /** The pause that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number | null | undefined;
  /** The cost of the failed attempt by the provider's report. */
  readonly cost?: NanoUsd | null | undefined;
  /** The usage of the failed attempt by the provider's report. Without `cost`, the cost is computed from the usage. */
  readonly usage?: MeteredUsage | null | undefined;
  /** A redacted excerpt of the provider's report, for the operator's events: its first {@link MAX_DETAIL_CHARACTERS}. Never sent to a caller. */
  readonly detail?: string | undefined;
  /** With `no_page_extracted`: the pages that could not be read. @default none is named */
  readonly failed?: FailedPagesDetails['failed'] | undefined;
  /** Whether the request was too large as a whole, and its texts may fit into several: so embeddings are asked for again in halves. @default false */
  readonly mayFitInParts?: boolean | undefined;
  /** The error behind it, for the operator's log. */
  readonly cause?: unknown;
}

/**
 * A failed attempt at a provider. Thrown by provider adapters and the upstream client; decides between retry and fallback. Never reaches a caller
 * unchanged.
 */
export class UpstreamError extends GatewayError {
  override readonly name = 'UpstreamError';
  /** The class of the failure, which decides about a retry and a fallback. */
  readonly reason: UpstreamReason;
  /** How far the exchange came. */
  readonly phase: UpstreamPhase;
  /** The provider's HTTP status; `null` without a response. */
  readonly status: number | null;
  /** The pause that the provider asked for, in milliseconds; `null` for none. */
  readonly retryAfterMs: number | null;
  /** Nanodollars that the provider reports for the failed attempt; `null` for unknown. */
  readonly cost: NanoUsd | null;
  /** The usage that the provider reports for the failed attempt; `null` for unknown. */
  readonly usage: MeteredUsage | null;
  /** A redacted excerpt of the provider's report; empty for none. Never sent to a caller. */
  readonly detail: string;
  /** With `no_page_extracted`: the pages that could not be read. */
  readonly failed: FailedPagesDetails['failed'] | undefined;
  /** Whether the request was too large as a whole, and its texts may fit into several. */
  readonly mayFitInParts: boolean;

  constructor(reason: UpstreamReason, options: UpstreamErrorOptions) {
    super(REASONS[reason].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.phase = options.phase;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.cost = options.cost ?? null;
    this.usage = options.usage ?? null;
    this.detail = wellFormed(firstCharacters(options.detail ?? '', MAX_DETAIL_CHARACTERS));
    // The caller's error has a list, whatever an adapter has thrown.
    this.failed = options.failed ?? (reason === 'no_page_extracted' ? [] : undefined);
    this.mayFitInParts = options.mayFitInParts === true;
  }

  override toJSON(): Record<string, unknown> {
    const { phase, status, retryAfterMs, detail } = this;
    const [cost, usage] = [bigintsToStrings(this.cost), bigintsToStrings(this.usage)];
    return { ...super.toJSON(), phase, status, retryAfterMs, cost, usage, detail };
  }
}

/** Narrows a value to an {@link UpstreamError}. */
export function isUpstreamError(value: unknown): value is UpstreamError {
  return isGatewayError(value) && value.name === 'UpstreamError';
}
