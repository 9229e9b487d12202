import type { Clock } from '../base/time/clock.js';
import type { Provider } from '../provider-kit/provider.js';
import { createFairQueue, type QueueLimits, type SemaphoreLimits } from './fair-shares.js';
import type { KeyRing, KeyUse } from './key-ring.js';
import { createProviderSlots } from './provider-slots.js';
import { createSlidingWindow } from './sliding-window.js';

/** The right to have one attempt under way. */
export interface Slot {
  /** The key to use, of a provider with several keys. Default: there is one key. */
  readonly key?: KeyUse | undefined;
  /** Gives the slot back. Only the first time counts. */
  free(): void;
}

/** A call that waits for a slot. */
export interface WaitingCall {
  readonly organizationId: string;
  /** The call has no more time than this. */
  readonly longestMs: number;
  /** Whether the caller has gone away. Polled, since a listener would cost every request. */
  isGone(): boolean;
}

/** Why there is no slot: the provider's own limit, or our connections to the provider. */
interface SlotRefusal {
  readonly reason: 'upstream_rate_limited' | 'connection_wait_exceeded';
  /** Milliseconds after which it makes sense to ask again. */
  readonly retryAfterMs: number;
}

/** Limits the attempts at one provider, of all organizations and of each, and keeps the queue of calls that wait for it. */
export interface ProviderLimit {
  /**
   * @param tried only with another key than these, and one that serves.
   * @returns `null` when the provider is at its limit, the organization has its share, or others wait already.
   */
  enter(organizationId: string, tried?: ReadonlySet<string>): Slot | null;
  /** Waits for a slot, `maxQueueMs` at most. @returns `null` when no slot is free in time, the queue is full, or the caller has gone away. */
  wait(call: WaitingCall): Promise<Slot | null>;
  /** Why the organization gets no slot now. */
  refusal(organizationId: string): SlotRefusal;
  /** Ends all waits without a slot. */
  endWaits(): void;
}

/** Limits the attempts at each provider. The queue of a provider holds up no calls to another provider. */
export interface ProviderLimits {
  /** As in {@link ProviderLimit}. */
  enter(provider: string, organizationId: string, tried?: ReadonlySet<string>): Slot | null;
  /** As in {@link ProviderLimit}. For a call that has no other model left to ask. */
  wait(provider: string, call: WaitingCall): Promise<Slot | null>;
  refusal(provider: string, organizationId: string): SlotRefusal;
  /** The keys of a provider that has several. */
  ringOf(provider: string): KeyRing | undefined;
  /** Ends every wait, and each later wait at once. */
  close(): void;
  isClosed(): boolean;
}

export interface ProviderLimitOptions {
  /** Most attempts under way at once, each of which has a connection of its own. */
  readonly connections: number;
  readonly limits: NonNullable<Provider['limits']> & { readonly maxQueueMs: number };
  readonly queue: QueueLimits;
  /** The keys, where there are several. */
  readonly ring?: KeyRing | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>;
}

export interface ProviderLimitsOptions extends Pick<ProviderLimitOptions, 'connections' | 'clock'> {
  readonly providers: readonly { readonly id: string }[];
  /** By provider. Only of providers with limits. */
  readonly limits: ReadonlyMap<string, ProviderLimitOptions['limits']>;
  /** By provider. Only of providers with several keys. Default: none. */
  readonly rings?: ReadonlyMap<string, KeyRing> | undefined;
  /** Longest wait for a connection to a provider without limits. */
  readonly maxConnectionWaitMs: number;
  /** Most calls of all kinds at once. Calls that wait for one provider may take only a part of these slots: other providers must not be held up. */
  readonly slots: SemaphoreLimits;
}

interface Waiter extends WaitingCall {
  readonly endsAtMs: number;
  end(slot: Slot | null): void;
}

/** How often the queue looks for callers that have gone away. */
const GONE_CHECK_MS = 50;
/** The end of an attempt under way is not known. */
const BUSY_RETRY_MS = 1_000;

export function createProviderLimits(options: ProviderLimitsOptions): ProviderLimits {
  const { providers, connections, slots, rings, clock } = options;
  const byProvider = new Map<string, ProviderLimit>();
  for (const { id } of providers) {
    const own = options.limits.get(id);
    const limits = own ?? { maxQueueMs: options.maxConnectionWaitMs };
    // A provider's limit lasts long, and a connection is soon free.
    const queue = queueLimits(slots, own === undefined ? 4 : 10);
    byProvider.set(id, createProviderLimit({ limits, connections, queue, ring: rings?.get(id), clock }));
  }
  let closed = false;

  function limitOf(provider: string): ProviderLimit {
    const limit = byProvider.get(provider);
    if (limit === undefined) throw new Error(`no provider ${provider}`);
    return limit;
  }

  return {
    enter: (provider, organizationId, tried) => limitOf(provider).enter(organizationId, tried),
    wait: async (provider, call) => (closed ? null : await limitOf(provider).wait(call)),
    refusal: (provider, organizationId) => limitOf(provider).refusal(organizationId),
    ringOf: (provider) => rings?.get(provider),
    close() {
      closed = true;
      for (const limit of byProvider.values()) limit.endWaits();
    },
    isClosed: () => closed,
  };
}

function queueLimits({ total, perOrganization }: SemaphoreLimits, divisor: number): QueueLimits {
  const part = (slots: number) => Math.max(1, Math.floor(slots / divisor));
  return { total: part(total), perGroup: part(perOrganization) };
}

export function createProviderLimit(options: ProviderLimitOptions): ProviderLimit {
  const { limits, connections, ring, clock } = options;
  const { rateLimit, maxConcurrent, maxQueueMs } = limits;
  const rate = rateLimit === undefined ? null : createSlidingWindow(rateLimit);
  const slots = createProviderSlots({ connections, maxConcurrent, monotonic: () => clock.monotonic() });
  const queue = createFairQueue<Waiter>(options.queue);
  let cancelTimer = (): void => undefined;

  const rateFreeInMs = () => Math.max(rate?.freeInMs(clock.monotonic()) ?? 0, ring?.freeInMs() ?? 0);
  const hasRoomFor = (organizationId: string, tried?: ReadonlySet<string>) =>
    slots.hasRoomFor(organizationId) && rateFreeInMs() === 0 && ring?.hasRoomFor(organizationId, tried) !== false;
  const usedBy = (organizationId: string) => (hasRoomFor(organizationId) ? slots.heldBy(organizationId) : Infinity);

  function take(organizationId: string, tried?: ReadonlySet<string>): Slot {
    let isTaken = true;
    const held = ring?.take(organizationId, tried);
    slots.take(organizationId);
    rate?.add(clock.monotonic());
    return {
      key: held?.use,
      free() {
        if (!isTaken) return;
        isTaken = false;
        held?.free();
        slots.free(organizationId);
        if (queue.length > 0) serveQueue();
      },
    };
  }

  /** Admits waiting calls while there is room; ends the waits that are over. */
  function serveQueue(): void {
    const nowMs = clock.monotonic();
    for (const waiter of queue) if (waiter.endsAtMs <= nowMs || waiter.isGone()) giveUp(waiter);
    for (let next = queue.next(usedBy); next !== undefined; next = queue.next(usedBy))
      next.end(take(next.organizationId));
    setTimer();
  }

  function giveUp(waiter: Waiter): void {
    queue.remove(waiter.organizationId, waiter);
    waiter.end(null);
  }

  /** For the next moment at which time alone may change the queue. */
  function setTimer(): void {
    cancelTimer();
    if (queue.length === 0) return;
    const nowMs = clock.monotonic();
    let inMs = Math.min(GONE_CHECK_MS, rateFreeInMs() || GONE_CHECK_MS);
    for (const { endsAtMs } of queue) inMs = Math.min(inMs, endsAtMs - nowMs);
    cancelTimer = clock.schedule(inMs, serveQueue);
  }

  return {
    enter(organizationId, tried) {
      slots.asked(organizationId);
      ring?.asked(organizationId);
      // A waiting call that has room by now comes first.
      if (queue.length > 0) serveQueue();
      return hasRoomFor(organizationId, tried) ? take(organizationId, tried) : null;
    },
    wait: (call) =>
      new Promise((resolve) => {
        const { organizationId, longestMs } = call;
        const nowMs = clock.monotonic();
        const endsAtMs = nowMs + Math.min(maxQueueMs, longestMs);
        const waiter = { organizationId, longestMs, endsAtMs, isGone: () => call.isGone(), end: resolve };
        // Do not queue a call that cannot start before its deadline.
        if (endsAtMs <= nowMs + rateFreeInMs() || !queue.add(organizationId, waiter)) resolve(null);
        else setTimer();
      }),
    refusal(organizationId) {
      const hasLimit = rateLimit !== undefined || maxConcurrent !== undefined || ring?.isLimited === true;
      const reason =
        hasLimit && !slots.lacksConnectionFor(organizationId) ? 'upstream_rate_limited' : 'connection_wait_exceeded';
      return { reason, retryAfterMs: rateFreeInMs() || BUSY_RETRY_MS };
    },
    endWaits() {
      for (const waiter of queue) giveUp(waiter);
      cancelTimer();
    },
  };
}
