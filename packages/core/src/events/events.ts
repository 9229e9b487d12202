import type { Reason } from '../errors/reasons.js';
import type { NanoUsd } from '../money/money.js';
import type { BudgetThreshold, CreditsLow } from './alert-events.js';
import type { EventBase } from './event-base.js';
import type { Logger } from './logger.js';
import type { AttemptFinished, ProviderLimited, ProviderPaused, ProviderResumed } from './provider-events.js';

/** A request was answered, refused or given up. One per request to any of the gateway's paths and per `answer`, `credits` or `key` in process. */
export interface RequestFinished extends EventBase {
  readonly type: 'request_finished';
  readonly requestId: string;
  /** The caller's own `X-Request-Id`, at most 128 printable characters of it. */
  readonly clientRequestId: string | null;
  readonly endpoint:
    | 'answer'
    | 'models'
    | 'credits'
    | 'key'
    | 'usage'
    | 'answers'
    | 'chat_completions'
    | 'openapi'
    | 'mcp';
  /** What was sent; 499 when the caller had gone away. */
  readonly status: number;
  /** Of an error; with the status 200 where `mcp` reports the error inside its reply. */
  readonly reason: Reason | null;
  /** What an earlier call under the same `Idempotency-Key` had been answered, sent again: no provider was asked and nothing was charged. */
  readonly replayed: boolean;
  readonly keyId: string | null;
  readonly organizationId: string | null;
  /** What was asked for, resolved, and who served; `null` where it did not come that far. */
  readonly requestedModel: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  /** Charged to the caller. */
  readonly cost: NanoUsd | null;
  /**
   * `hit`: the answer had been kept. `miss`: none had been. `refresh` and `off`: the caller wanted a new one (`off`: and none kept). `null` where
   * there is no cache, or the call did not come that far.
   */
  readonly cache: 'hit' | 'miss' | 'refresh' | 'off' | null;
  /** It shared the call of another one, which has the attempts. */
  readonly joined: boolean;
  readonly attempts: number;
  readonly durationMs: number;
  /** Until the first part of a streamed answer was there; `null` for everything that is answered whole. */
  readonly firstContentMs: number | null;
  /** Time spent waiting for providers. */
  readonly upstreamMs: number;
}

/** A charge could not be written yet and is being retried in the background (`final: false`), or was given up (`final: true`). */
interface LedgerSettleFailed extends EventBase {
  readonly type: 'ledger_settle_failed';
  readonly requestId: string;
  readonly holdId: string;
  readonly operation: 'settle' | 'release';
  readonly attempt: number;
  readonly final: boolean;
  readonly error: string;
}

/** A charge that had failed to be written has now been written. */
interface LedgerSettleRecovered extends EventBase {
  readonly type: 'ledger_settle_recovered';
  readonly holdId: string;
  readonly attempts: number;
}

/**
 * A claim of an `Idempotency-Key` could not be ended yet and is being retried in the background (`final: false`), or was given up
 * (`final: true`): it then expires with its call's hold, and a repeated call is made, and charged, again.
 */
interface IdempotencyFailed extends EventBase {
  readonly type: 'idempotency_failed';
  readonly requestId: string;
  /** Keeping the response, or giving the name back. */
  readonly operation: 'complete' | 'free';
  readonly attempt: number;
  readonly final: boolean;
  readonly error: string;
}

/** A claim that had failed to be ended has now been ended. */
interface IdempotencyRecovered extends EventBase {
  readonly type: 'idempotency_recovered';
  readonly requestId: string;
  readonly attempts: number;
}

/** A provider answered without any usable figure, so the ceiling was charged: the price row or the adapter wants attention. */
interface CostUnknown extends EventBase {
  readonly type: 'cost_unknown';
  readonly requestId: string;
  readonly model: string;
  readonly charged: NanoUsd;
}

/**
 * A provider reported far more than its price row allows (20 times its ceiling). The caller was charged the row's ceiling; the rest
 * is recorded as a `loss` with reason `cost_implausible`.
 */
interface CostImplausible extends EventBase {
  readonly type: 'cost_implausible';
  readonly requestId: string;
  readonly model: string;
  /** Before markup. */
  readonly reported: NanoUsd;
  /** With markup. */
  readonly charged: NanoUsd;
}

/** Reported and computed cost differ by more than a fifth: the price row may be out of date. */
interface CostMismatch extends EventBase {
  readonly type: 'cost_mismatch';
  readonly requestId: string;
  readonly model: string;
  readonly reported: NanoUsd;
  readonly computed: NanoUsd;
}

/** Holds whose process died were ended. */
interface HoldsExpired extends EventBase {
  readonly type: 'holds_expired';
  readonly count: number;
}

/** More events arrived at once than are kept for listeners; `count` of them were thrown away. */
interface EventsDropped extends EventBase {
  readonly type: 'events_dropped';
  readonly count: number;
}

/** Everything the gateway tells its host. Amounts are `bigint` nanodollars: use `eventToJson` to print one. */
export type GatewayEvent =
  | RequestFinished
  | AttemptFinished
  | LedgerSettleFailed
  | LedgerSettleRecovered
  | IdempotencyFailed
  | IdempotencyRecovered
  | ProviderPaused
  | ProviderResumed
  | ProviderLimited
  | CostUnknown
  | CostMismatch
  | CostImplausible
  | BudgetThreshold
  | CreditsLow
  | HoldsExpired
  | EventsDropped;

export type EventListener = (event: GatewayEvent) => void | Promise<void>;

/** The bounded queue between requests and listeners. */
export interface EventStream {
  /** Queues an event. Never throws, never waits; nearly free without listeners. */
  emit(event: GatewayEvent): void;
  /** @returns a function that removes the listener. */
  subscribe(listener: EventListener): () => void;
  /** Delivers what is queued at once. */
  flush(): void;
  /** Delivers an event at once, behind what is queued. Resolves when the promises of all listeners are settled; never rejects. */
  deliver(event: GatewayEvent): Promise<void>;
  /** Whether there are listeners. */
  isHeard(): boolean;
}

const MAX_QUEUED_EVENTS = 10_000;

/**
 * Delivers events to listeners after the current work of the event loop, so that a listener can neither slow nor break a request. A listener
 * that throws or rejects is reported to the logger and stays subscribed.
 */
export function createEventStream(logger: Logger): EventStream {
  const listeners = new Set<EventListener>();
  let queue: GatewayEvent[] = [];
  let dropped = 0;

  function flush(): void {
    const batch = queue;
    queue = [];
    if (dropped > 0) {
      batch.push({ type: 'events_dropped', atMs: Date.now(), count: dropped });
      dropped = 0;
    }
    for (const event of batch) for (const listener of listeners) void deliver(listener, event, logger);
  }

  return {
    emit(event) {
      if (listeners.size === 0) return;
      if (queue.length === MAX_QUEUED_EVENTS) {
        dropped += 1;
        return;
      }
      if (queue.push(event) === 1) setImmediate(flush);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    flush,
    async deliver(event) {
      flush();
      await Promise.all([...listeners].map(async (listener) => await deliver(listener, event, logger)));
    },
    isHeard: () => listeners.size > 0,
  };
}

/** JSON text of an event, with amounts as decimal strings of nanodollars. */
export function eventToJson(event: GatewayEvent): string {
  return JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** @returns what the listener waits for; it never rejects. */
function deliver(listener: EventListener, event: GatewayEvent, logger: Logger): Promise<void> | undefined {
  try {
    const result = listener(event);
    if (result instanceof Promise) return result.catch((error: unknown) => report(logger, event, error));
  } catch (error) {
    report(logger, event, error);
  }
  return undefined;
}

function report(logger: Logger, event: GatewayEvent, error: unknown): void {
  try {
    logger.error({ error, event: event.type }, 'an event listener failed');
  } catch {
    // There is no further place to report a logger that throws.
  }
}
