import type { UpstreamPhase, UpstreamReason } from '../errors/reasons.js';
import type { NanoUsd } from '../money.js';
import type { EventBase } from './event-base.js';

/** An attempt at a provider ended. */
export interface AttemptFinished extends EventBase {
  readonly type: 'attempt_finished';
  readonly requestId: string;
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  /** `hedged`: the attempt was ended because its hedge, or the model that it hedged, was faster. */
  readonly outcome: 'answered' | 'hedged' | UpstreamReason;
  readonly phase: UpstreamPhase | null;
  readonly upstreamStatus: number | null;
  readonly upstreamRequestId: string | null;
  readonly durationMs: number;
  /** The reported or computed cost of the attempt, before markup. */
  readonly cost: NanoUsd | null;
  /** The reported tokens, also of a failed attempt; `null` without a report. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** A redacted excerpt of the provider's report, or the error of the adapter. */
  readonly detail: string;
}

/** A provider is skipped until `untilMs` after repeated failures, or is back in use. */
export interface ProviderPaused extends EventBase {
  readonly type: 'provider_paused';
  readonly provider: string;
  /** The only organization for which the provider is skipped; `null` for all. */
  readonly organizationId: string | null;
  readonly reason: UpstreamReason;
  readonly untilMs: number;
}
export interface ProviderResumed extends EventBase {
  readonly type: 'provider_resumed';
  readonly provider: string;
  /** The only organization for which the provider was skipped; `null` for all. */
  readonly organizationId: string | null;
}

/**
 * There was no slot for an attempt at a provider: the provider was over its limit, or the organization used its share of the connections. `passed_over`: the
 * call asked another model instead. `waited`: no other model was left, and the call got a slot. `given_up`: the call got no slot in time.
 */
export interface ProviderSlotRefused extends EventBase {
  readonly type: 'provider_slot_refused';
  readonly requestId: string;
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
  /** The limit that was reached. */
  readonly reason: 'upstream_rate_limited' | 'connection_wait_exceeded';
  readonly outcome: 'passed_over' | 'waited' | 'given_up';
  readonly waitedMs: number;
}
