import type { Reason } from '../errors/reasons.js';
import type { NanoUsd } from '../money.js';
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
  readonly organizationId: string;
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
  readonly organizationId: string;
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
  readonly organizationId: string;
  readonly model: string;
  readonly reported: NanoUsd;
  readonly computed: NanoUsd;
}

/** An answer cited pages outside of the domains that its caller asked for: these citations were not delivered. */
interface CitationsDropped extends EventBase {
  readonly type: 'citations_dropped';
  readonly requestId: string;
  readonly provider: string;
  readonly model: string;
  readonly dropped: number;
  /** Those that were delivered. With 0 the attempt counts as `no_answer_found`. */
  readonly kept: number;
}

/** Holds whose process died were ended. */
interface HoldsExpired extends EventBase {
  readonly type: 'holds_expired';
  readonly count: number;
}

/** Events were thrown away: more arrived at once than are kept for listeners, or a listener could not keep or deliver them (`false`). */
interface EventsDropped extends EventBase {
  readonly type: 'events_dropped';
  readonly count: number;
  /** How many of each type. */
  readonly byType: Readonly<Record<string, number>>;
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
  | CitationsDropped
  | BudgetThreshold
  | CreditsLow
  | HoldsExpired
  | EventsDropped;

/** May resolve to `false` where it has lost the event, which is then counted in `events_dropped`. */
export type EventListener = (event: GatewayEvent) => void | Promise<void | false>;

/** The bounded queue between requests and listeners. */
export interface EventStream {
  /** Queues an event. Never throws, never waits; nearly free without listeners. */
  emit(event: GatewayEvent): void;
  /** @returns a function that removes the listener. */
  subscribe(listener: EventListener): () => void;
  /** Delivers what is queued at once. */
  flush(): void;
  /**
   * Delivers an event at once, behind what is queued. Resolves when the promises of all listeners are settled; never rejects.
   *
   * @returns `false` where a listener has lost it.
   */
  deliver(event: GatewayEvent): Promise<boolean>;
  /** Whether there are listeners. */
  isHeard(): boolean;
}

const MAX_QUEUED_EVENTS = 10_000;
/** Callers make as many of these as they like. They leave some of the queue to what the operator must hear of. */
const OF_REQUESTS: ReadonlySet<GatewayEvent['type']> = new Set([
  'request_finished',
  'attempt_finished',
  'provider_limited',
]);
const MAX_QUEUED_OF_REQUESTS = 9_000;

/**
 * Delivers events to listeners after the current work of the event loop, so that a listener can neither slow nor break a request. A listener
 * that throws or rejects is reported to the logger and stays subscribed.
 */
export function createEventStream(logger: Logger): EventStream {
  const listeners = new Set<EventListener>();
  let queue: GatewayEvent[] = [];
  let dropped = new Map<GatewayEvent['type'], number>();

  function flush(): void {
    const batch = queue;
    queue = [];
    if (dropped.size > 0) {
      const count = [...dropped.values()].reduce((sum, each) => sum + each, 0);
      batch.push({ type: 'events_dropped', atMs: Date.now(), count, byType: Object.fromEntries(dropped) });
      dropped = new Map();
    }
    for (const event of batch) for (const listener of listeners) void hand(event, listener);
  }

  /** @returns whether the listener has kept the event, once its promise is settled; it never rejects. */
  function hand(event: GatewayEvent, listener: EventListener): Promise<boolean> | undefined {
    return deliver(listener, event, logger)?.then((result) => {
      const isLost = result === false;
      // One that tells of lost events must not lead to another one.
      if (!isLost || event.type === 'events_dropped') return !isLost;
      if (queue.length === 0 && dropped.size === 0) setImmediate(flush);
      drop(event);
      return false;
    });
  }

  function drop({ type }: GatewayEvent): void {
    dropped.set(type, (dropped.get(type) ?? 0) + 1);
  }

  return {
    emit(event) {
      if (listeners.size === 0) return;
      if (queue.length >= (OF_REQUESTS.has(event.type) ? MAX_QUEUED_OF_REQUESTS : MAX_QUEUED_EVENTS)) {
        drop(event);
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
      const kept = await Promise.all([...listeners].map(async (listener) => await hand(event, listener)));
      return !kept.includes(false);
    },
    isHeard: () => listeners.size > 0,
  };
}

/** JSON text of an event, with amounts as decimal strings of nanodollars. */
export function eventToJson(event: GatewayEvent): string {
  return JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** @returns what the listener waits for; it never rejects. */
function deliver(listener: EventListener, event: GatewayEvent, logger: Logger): Promise<void | false> | undefined {
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
