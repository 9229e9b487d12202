import type { Reason } from '../errors/reasons.js';
import type { NanoUsd } from '../money.js';
import type { AlertEvent } from './alert-events.js';
import type { EventBase } from './event-base.js';
import type { Logger } from './logger.js';
import type { ProviderEvent } from './provider-events.js';

/** A paid part of an answer that is made of the answers of other models. */
export interface AnswerPart {
  /** The slug that served it: for the part of the answer's own model, that model. */
  readonly model: string;
  /** Charged to the caller for it. */
  readonly cost: NanoUsd;
}

/** A request was answered, refused or given up. One event per request to a path of the gateway, and per function in process, such as `answer`. */
export interface RequestFinished extends EventBase {
  readonly type: 'request_finished';
  /** The gateway's id of the request, as in `X-Request-Id` of the response. */
  readonly requestId: string;
  /** The caller's `X-Request-Id`, at most its first 128 printable characters. */
  readonly clientRequestId: string | null;
  /** The id of the answer, its hold and its ledger entry; `null` where nothing was held, and for a replay. */
  readonly answerId: string | null;
  /** `answer`, a kind of calls such as `search`, `models`, `credits`, `key`, `usage`, `answers`, `openapi`, or the name of an extension such as `mcp`. */
  readonly endpoint: string;
  /** The HTTP status sent; 499 if the caller had disconnected. */
  readonly status: number;
  /** The reason of an error; with the status 200 if `mcp` reports the error inside its reply. */
  readonly reason: Reason | null;
  /** True for the replayed response of an earlier call with the same `Idempotency-Key`: no provider was asked and nothing was charged. */
  readonly replayed: boolean;
  /** The calling key; `null` if none was recognized. */
  readonly keyId: string | null;
  /** The organization that pays; `null` if no key was recognized. */
  readonly organizationId: string | null;
  /** The caller's label of the call. */
  readonly tag: string | null;
  /** The ids of the budgets of its organization that the call counted in, beside the limit of the key. Absent for none, and where nothing was held. */
  readonly budgets?: readonly string[] | undefined;
  /** Whether the key of the vendor was the organization's own: then {@link cost} is the fee. Absent for `false`. */
  readonly byok?: boolean | undefined;
  /** What the vendor billed to the organization, whose own key it was. Absent where it was the operator's. */
  readonly tenantCost?: NanoUsd | undefined;
  /** The requested model, the resolved model, and the provider that served; `null` if the request ended before. */
  readonly requestedModel: string | null;
  /** The slug that served, else the first that was to be asked. */
  readonly model: string | null;
  /** The id of the provider that served. */
  readonly provider: string | null;
  /** Charged to the caller. */
  readonly cost: NanoUsd | null;
  /** What {@link cost} is made of, in the order in which it was bought. Absent for an answer that is not made of parts. */
  readonly parts?: readonly AnswerPart[] | undefined;
  /** Owed to the provider for what was charged, before markup; `null` if unknown. */
  readonly upstreamCost: NanoUsd | null;
  /** Owed to providers for attempts that no caller pays for. */
  readonly loss: NanoUsd;
  /**
   * `hit`: the answer was cached. `miss`: no answer was cached. `refresh`: the caller wanted a new answer. `off`: the caller wanted a new answer that is not
   * cached. `null` without a cache, or if the request ended before.
   */
  readonly cache: 'hit' | 'miss' | 'refresh' | 'off' | null;
  /** True if the request joined the call of another request, which has the attempts. */
  readonly joined: boolean;
  /** How many attempts at providers there were, hedges included. */
  readonly attempts: number;
  /** From the arrival of the request to the end of its response. */
  readonly durationMs: number;
  /** Milliseconds until the first part of a streamed answer; `null` for whole answers. */
  readonly firstContentMs: number | null;
  /** Milliseconds spent waiting for providers. */
  readonly upstreamMs: number;
  /** Of a request in the form of another service: the number of its fields that were ignored, because neither that form nor this API has them. */
  readonly ignoredFields?: number | undefined;
}

/** An asynchronous answer can be fetched, or has failed. Of a call whose process was killed, the look-up that charges the answer emits this and `request_finished`. */
interface AnswerFinished extends EventBase {
  readonly type: 'answer_finished';
  /** The id of the request that began it, or of the look-up. */
  readonly requestId: string;
  /** Its id at `GET /answers/{id}`. */
  readonly answerId: string;
  /** The key that asked. */
  readonly keyId: string;
  /** The organization that pays. */
  readonly organizationId: string;
  /** Charged to the caller; `null` for an error. */
  readonly cost: NanoUsd | null;
  /** The reason of an error; `null` for an answer. */
  readonly reason: Reason | null;
}

/** The end of a call could not be written. */
interface RetryFailed extends EventBase {
  /** The id of the request that it belongs to. */
  readonly requestId: string;
  /** How many attempts have failed. */
  readonly attempt: number;
  /** Whether it was given up. */
  readonly final: boolean;
  /** The message of the storage's error. */
  readonly error: string;
}

/** A charge could not be written and is retried in the background (`final: false`), or was given up (`final: true`). */
interface LedgerSettleFailed extends RetryFailed {
  readonly type: 'ledger_settle_failed';
  /** The id of the hold, and of the answer. */
  readonly holdId: string;
  /** Charging the hold, or freeing it. */
  readonly operation: 'settle' | 'release';
}

/** A charge was written after earlier failures. */
interface LedgerSettleRecovered extends EventBase {
  readonly type: 'ledger_settle_recovered';
  /** The id of the hold, and of the answer. */
  readonly holdId: string;
  /** How many attempts it took. */
  readonly attempts: number;
}

/**
 * A claim of an `Idempotency-Key` could not be ended and is retried in the background (`final: false`), or was given up (`final: true`): the claim then
 * expires with the hold of its call, and a repeated call is made, and charged, again.
 */
interface IdempotencyFailed extends RetryFailed {
  readonly type: 'idempotency_failed';
  /** Storing the response, or freeing the name. */
  readonly operation: 'complete' | 'free';
}

/** A claim was ended after earlier failures. */
interface IdempotencyRecovered extends EventBase {
  readonly type: 'idempotency_recovered';
  /** The id of the request that it belongs to. */
  readonly requestId: string;
  /** How many attempts it took. */
  readonly attempts: number;
}

/** The common fields of warnings about the cost of an answer. */
interface CostEvent extends EventBase {
  /** The id of the request that it belongs to. */
  readonly requestId: string;
  /** The organization that pays. */
  readonly organizationId: string;
  /** The slug that ran. */
  readonly model: string;
}

/** A provider answered without a usable figure, so the ceiling was charged: check the price row or the adapter. */
interface CostUnknown extends CostEvent {
  readonly type: 'cost_unknown';
  /** With markup. */
  readonly charged: NanoUsd;
}

/**
 * A provider reported far more than its price row allows (20 times its ceiling), or counted more units than the call can have. The caller was charged the
 * row's ceiling, or the most units that the call can have; the rest is recorded as a `loss` with reason `cost_implausible`.
 */
interface CostImplausible extends CostEvent {
  readonly type: 'cost_implausible';
  /** Before markup. */
  readonly reported: NanoUsd;
  /** With markup. */
  readonly charged: NanoUsd;
}

/** Reported and computed cost differ by more than a fifth: the price row may be out of date. */
interface CostMismatch extends CostEvent {
  readonly type: 'cost_mismatch';
  /** By the provider, before markup. */
  readonly reported: NanoUsd;
  /** By the price row and the reported usage, before markup. */
  readonly computed: NanoUsd;
}

/** An answer cited, or a search found, pages outside of the domains of the call or of its caller's rules: these were not delivered. */
interface CitationsDropped extends EventBase {
  readonly type: 'citations_dropped';
  /** The id of the request that it belongs to. */
  readonly requestId: string;
  /** The id of the provider that named them. */
  readonly provider: string;
  /** The slug that ran. */
  readonly model: string;
  /** How many citations or results were not delivered. */
  readonly dropped: number;
  /** The number of delivered ones. With 0 the attempt at an answer counts as `no_answer_found`. */
  readonly kept: number;
}

/** Calls, or their questions and answers, were not written into the request log, because it failed or could not keep up. */
interface RequestLogDropped extends EventBase {
  readonly type: 'request_log_dropped';
  /** How many calls. */
  readonly count: number;
  /** Whether their questions and answers alone were lost. Absent for whole calls. */
  readonly texts?: true | undefined;
}

/** The ledger, the key store unless the host authenticates, the claims of idempotency keys, and the log of calls if there is one. */
export type StoreName = 'ledger' | 'key_store' | 'idempotency' | 'request_log';

/** A store does not answer, or takes nothing: calls that need it get 503 `ledger_unavailable`. None needs the request log. */
interface StoreDown extends EventBase {
  readonly type: 'store_down';
  /** Which store. */
  readonly store: StoreName;
  /** The first failure, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** The message of the store's error. */
  readonly error: string;
}

/** The store answers again. */
interface StoreRecovered extends EventBase {
  readonly type: 'store_recovered';
  /** Which store. */
  readonly store: StoreName;
  /** The first failure, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** From the first failure to the recovery. */
  readonly downMs: number;
}

/** Holds of dead processes were ended. */
interface HoldsExpired extends EventBase {
  readonly type: 'holds_expired';
  /** How many holds. */
  readonly count: number;
}

/** Events were dropped: the queue for listeners was full, or a listener returned `false` because it could not deliver them. */
interface EventsDropped extends EventBase {
  readonly type: 'events_dropped';
  /** How many events. */
  readonly count: number;
  /** The number of dropped events by type. */
  readonly byType: Readonly<Record<string, number>>;
}

/** All events of the gateway. Amounts are `bigint` nanodollars: use `eventToJson` to print an event. */
export type GatewayEvent =
  | RequestFinished
  | AnswerFinished
  | LedgerSettleFailed
  | LedgerSettleRecovered
  | IdempotencyFailed
  | IdempotencyRecovered
  | ProviderEvent
  | CostUnknown
  | CostMismatch
  | CostImplausible
  | CitationsDropped
  | AlertEvent
  | StoreDown
  | StoreRecovered
  | HoldsExpired
  | RequestLogDropped
  | EventsDropped;

/** Receives events. May resolve to `false` if it has lost the event, which is then counted in `events_dropped`. */
export type EventListener = (event: GatewayEvent) => void | Promise<void | false>;

/** The bounded queue between requests and listeners. */
export type EventStream = ReturnType<typeof createEventStream>;

const MAX_QUEUED_EVENTS = 10_000;
/** Callers cause any number of these events. They may not fill the queue, because the operator must receive the other events. */
const OF_REQUESTS: ReadonlySet<GatewayEvent['type']> = new Set([
  'request_finished',
  'answer_finished',
  'attempt_finished',
  'provider_slot_refused',
]);
const MAX_QUEUED_OF_REQUESTS = 9_000;

/**
 * Delivers events to listeners after the current work of the event loop, so that a listener can neither slow nor break a request. A listener
 * that throws or rejects is reported to the logger, which must not throw, and stays subscribed.
 */
export function createEventStream(logger: Logger) {
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

  /** @returns a promise of whether the listener has kept the event; never rejects. */
  function hand(event: GatewayEvent, listener: EventListener): Promise<boolean> | undefined {
    return deliver(listener, event, logger)?.then((result) => {
      const isLost = result === false;
      // A lost `events_dropped` must not cause another `events_dropped`.
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
    /** Queues an event. Never throws and never waits; nearly free without listeners. */
    emit(event: GatewayEvent): void {
      if (listeners.size === 0) return;
      if (queue.length >= (OF_REQUESTS.has(event.type) ? MAX_QUEUED_OF_REQUESTS : MAX_QUEUED_EVENTS)) {
        drop(event);
        return;
      }
      if (queue.push(event) === 1) setImmediate(flush);
    },
    /** @returns a function that removes the listener. */
    subscribe(listener: EventListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Delivers the queued events at once. */
    flush,
    /**
     * Delivers the queued events and an event at once. Resolves when the promises of all listeners are settled; never rejects.
     *
     * @returns `false` if a listener has lost the event.
     */
    async deliver(event: GatewayEvent): Promise<boolean> {
      flush();
      const kept = await Promise.all([...listeners].map(async (listener) => await hand(event, listener)));
      return !kept.includes(false);
    },
    /** Whether there are listeners. */
    isHeard: () => listeners.size > 0,
  };
}

/** JSON text of an event, with amounts as decimal strings of nanodollars. */
export function eventToJson(event: GatewayEvent): string {
  return JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** Calls a listener. @returns its promise, if any; never rejects. */
function deliver(listener: EventListener, event: GatewayEvent, logger: Logger): Promise<void | false> | undefined {
  try {
    const result = listener(event);
    if (result instanceof Promise) return result.catch(report);
  } catch (error) {
    report(error);
  }
  return undefined;

  function report(error: unknown): void {
    logger.error({ error, event: event.type }, 'an event listener failed');
  }
}
