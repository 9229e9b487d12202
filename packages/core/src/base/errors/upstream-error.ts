import type { MeteredUsage } from '../metered-usage.js';
import type { NanoUsd } from '../money.js';
import { bigintsToStrings, GatewayError, isGatewayError } from './gateway-error.js';
import { REASONS, type UpstreamPhase, type UpstreamReason } from './reasons.js';

export interface UpstreamErrorOptions {
  readonly phase: UpstreamPhase;
  /** The provider's HTTP status; `null` when none arrived. */
  readonly status?: number | null | undefined;
  /** How long the provider asked to be left alone. */
  readonly retryAfterMs?: number | null | undefined;
  /** What the provider says this failed attempt cost the operator. */
  readonly cost?: NanoUsd | null | undefined;
  /** What the provider says this failed attempt used: its cost is computed from it where `cost` is not given. */
  readonly usage?: MeteredUsage | null | undefined;
  /** A short, redacted excerpt of what the provider reported: for the operator's events, never for a caller. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/**
 * One attempt at a provider failed. Thrown by provider adapters and the upstream client; decides between retry and fallback;
 * never reaches a caller as it is.
 */
export class UpstreamError extends GatewayError {
  override readonly name = 'UpstreamError';
  readonly reason: UpstreamReason;
  readonly phase: UpstreamPhase;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly cost: NanoUsd | null;
  readonly usage: MeteredUsage | null;
  readonly detail: string;

  constructor(reason: UpstreamReason, options: UpstreamErrorOptions) {
    super(REASONS[reason].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.phase = options.phase;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.cost = options.cost ?? null;
    this.usage = options.usage ?? null;
    this.detail = options.detail ?? '';
  }

  override toJSON(): Record<string, unknown> {
    const { phase, status, retryAfterMs, detail } = this;
    const [cost, usage] = [bigintsToStrings(this.cost), bigintsToStrings(this.usage)];
    return { ...super.toJSON(), phase, status, retryAfterMs, cost, usage, detail };
  }
}

/** Narrows to the failure of one attempt at a provider. */
export function isUpstreamError(value: unknown): value is UpstreamError {
  return isGatewayError(value) && value.name === 'UpstreamError';
}
