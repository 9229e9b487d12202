import type { UpstreamPhase, UpstreamReason } from '../errors/reasons.js';
import type { NanoUsd } from '../money.js';
import type { EventBase } from './event-base.js';

/** An attempt at a provider ended. */
export interface AttemptFinished extends EventBase {
  readonly type: 'attempt_finished';
  /** The id of the request that it belongs to. */
  readonly requestId: string;
  /** From 1, in the order of their begins; of a part from 1 in that part. */
  readonly attempt: number;
  /** The id of the asked provider. */
  readonly provider: string;
  /** The slug of the asked model. */
  readonly model: string;
  /** `hedged`: the attempt was ended because its hedge, or the model that it hedged, was faster. */
  readonly outcome: 'answered' | 'hedged' | UpstreamReason;
  /** How far a failed attempt came; `null` for an answer. */
  readonly phase: UpstreamPhase | null;
  /** The provider's HTTP status; `null` without a response. */
  readonly upstreamStatus: number | null;
  /** The code of a failed connection, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`; `null` for none. */
  readonly code: string | null;
  /** The provider's own id of the call; `null` if it names none. */
  readonly upstreamRequestId: string | null;
  /** From its begin to its end. */
  readonly durationMs: number;
  /** The reported or computed cost of the attempt, before markup. */
  readonly cost: NanoUsd | null;
  /** The reported tokens, also of a failed attempt; `null` without a report. */
  readonly inputTokens: number | null;
  /** As `inputTokens`. */
  readonly outputTokens: number | null;
  /** A redacted excerpt of the provider's report, or the error of the adapter. */
  readonly detail: string;
  /** The name of the key that was used last, of a provider with several keys. */
  readonly key?: string | undefined;
  /** Whether it was a key of the organization, to whom the provider bills {@link cost}. Absent for `false`. */
  readonly byok?: true | undefined;
  /** Whether it was asked for a part of another model's answer. Absent for `false`. */
  readonly part?: true | undefined;
}

/** A provider is skipped until `untilMs` after repeated failures, or is back in use. */
interface ProviderPaused extends EventBase {
  readonly type: 'provider_paused';
  /** The id of the skipped provider. */
  readonly provider: string;
  /** The only organization for which the provider is skipped; `null` for all. */
  readonly organizationId: string | null;
  /** Whether only calls with the organization's own key skip it. Absent for `false`. */
  readonly byok?: true | undefined;
  /** The failure that was one too many. */
  readonly reason: UpstreamReason;
  /** Then it is tried again, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
}
interface ProviderResumed extends EventBase {
  readonly type: 'provider_resumed';
  /** The id of the provider. */
  readonly provider: string;
  /** The only organization for which the provider was skipped; `null` for all. */
  readonly organizationId: string | null;
  /** As when it was paused. */
  readonly byok?: true | undefined;
}

/** Why one of several keys is left out: the provider refuses it, its account has no credit, or it is over its rate. */
export type KeyFailure = 'rejected' | 'out_of_credit' | 'rate_limited';

interface KeyEvent extends EventBase {
  /** The id of the provider. */
  readonly provider: string;
  /** The name of the key. */
  readonly key: string;
}

/** One of several keys of a provider is left out from now on. The same request goes on with the next key. */
export interface ProviderKeyFailed extends KeyEvent {
  readonly type: 'provider_key_failed';
  /** Why. */
  readonly state: KeyFailure;
}

/** A key that was left out has served a call. */
export interface ProviderKeyRecovered extends KeyEvent {
  readonly type: 'provider_key_recovered';
  /** Why it was left out. */
  readonly state: KeyFailure;
}

/**
 * There was no slot for an attempt at a provider: the provider was over its limit, or the organization used its share of the connections. `passed_over`: the
 * call asked another model instead. `waited`: no other model was left, and the call got a slot. `given_up`: the call got no slot in time.
 */
export interface ProviderSlotRefused extends EventBase {
  readonly type: 'provider_slot_refused';
  /** The id of the request that it belongs to. */
  readonly requestId: string;
  /** The organization that asked. */
  readonly organizationId: string;
  /** The id of the provider. */
  readonly provider: string;
  /** The slug that was to be asked. */
  readonly model: string;
  /** The limit that was reached. */
  readonly reason: 'upstream_rate_limited' | 'connection_wait_exceeded';
  /** What the call did. */
  readonly outcome: 'passed_over' | 'waited' | 'given_up';
  /** How long the call waited; 0 where it did not. */
  readonly waitedMs: number;
}

/** The events of attempts at providers, and of the state of providers and their keys. */
export type ProviderEvent =
  | AttemptFinished
  | ProviderPaused
  | ProviderResumed
  | ProviderKeyFailed
  | ProviderKeyRecovered
  | ProviderSlotRefused;
