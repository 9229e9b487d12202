import type { UpstreamPhase, UpstreamReason } from '../errors/reasons.js';
import type { NanoUsd } from '../money.js';
import type { EventBase } from './event-base.js';

/** One attempt at a provider ended. */
export interface AttemptFinished extends EventBase {
  readonly type: 'attempt_finished';
  readonly requestId: string;
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  /** `hedged`: it was ended because another model, asked beside it, was faster. */
  readonly outcome: 'answered' | 'hedged' | UpstreamReason;
  readonly phase: UpstreamPhase | null;
  readonly upstreamStatus: number | null;
  readonly upstreamRequestId: string | null;
  readonly durationMs: number;
  /** What the provider reported or we computed that the attempt cost the operator, before markup. */
  readonly cost: NanoUsd | null;
  /** What the provider reported that it read and wrote, also where it failed; `null` where it said nothing. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Redacted excerpt of what the provider reported, or what the adapter threw. */
  readonly detail: string;
}

/** A provider is skipped until `untilMs` after repeated failures, or is back in use. */
export interface ProviderPaused extends EventBase {
  readonly type: 'provider_paused';
  readonly provider: string;
  /** The only organization it is skipped for; `null` for all. */
  readonly organizationId: string | null;
  readonly reason: UpstreamReason;
  readonly untilMs: number;
}
export interface ProviderResumed extends EventBase {
  readonly type: 'provider_resumed';
  readonly provider: string;
  /** The only organization it was skipped for; `null` for all. */
  readonly organizationId: string | null;
}

/**
 * There was no slot for an attempt at a provider: the provider was over its limit, or the organization had its share of the connections. `passed_over`: the call asked another model instead. `waited`: no other one was left, and the call got
 * its turn. `given_up`: it got none in time.
 */
export interface ProviderLimited extends EventBase {
  readonly type: 'provider_limited';
  readonly requestId: string;
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
  /** What was in the way. */
  readonly reason: 'upstream_rate_limited' | 'connection_wait_exceeded';
  readonly outcome: 'passed_over' | 'waited' | 'given_up';
  readonly waitedMs: number;
}
