import type { Clock } from '../base/time/clock.js';
import type { Provider } from '../provider-kit/provider.js';
import { createFairQueue, createSemaphore, type QueueLimits, type SemaphoreLimits } from './fair-shares.js';
import { KeyRing, type KeyRingOptions, type KeyUse } from './key-ring.js';
import { createSlidingWindow } from './sliding-window.js';

/** The right to have one attempt under way. */
export interface Slot {
  /** The key to use, of a provider with several keys. Default: there is one key. */
  readonly key?: KeyUse | undefined;
  /** Gives the slot back. Only the first time counts. */
  free(): void;
}

/** What differs between the calls of an organization. */
interface SlotWish {
  /** Only with another key than these, and one that serves. Default: any key. */
  readonly tried?: ReadonlySet<string> | undefined;
  /** The key of the organization: then the call takes a connection, and nothing of what the provider allows to the operator. Default: the operator's. */
  readonly own?: object | undefined;
}

/** A call that waits for a slot. With `tried`, the wait ends once there is no key. */
export interface WaitingCall extends SlotWish {
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
export type ProviderLimit = ReturnType<typeof createProviderLimit>;

/** Limits the attempts at each provider. The queue of a provider holds up no calls to another provider. */
export type ProviderLimits = ReturnType<typeof createProviderLimits>;

export interface ProviderLimitOptions {
  /** Most attempts under way at once, each of which has a connection of its own. */
  readonly connections: number;
  readonly limits: NonNullable<Provider['limits']> & Pick<Provider, 'keys'> & { readonly maxQueueMs: number };
  readonly queue: QueueLimits;
  /** The keys, where there are several. */
  readonly ring?: KeyRing | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>;
}

export interface ProviderLimitsOptions
  extends Pick<ProviderLimitOptions, 'connections'>,
    Pick<KeyRingOptions, 'cooldownMs' | 'clock' | 'emit'> {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
  readonly providers: readonly { readonly id: string }[];
  /** By provider. Only of providers with limits, or with several keys. */
  readonly limits: ReadonlyMap<string, ProviderLimitOptions['limits']>;
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

export function createProviderLimits(options: ProviderLimitsOptions) {
  const { providers, connections, slots, clock } = options;
  const byProvider = new Map<string, ProviderLimit>();
  for (const { id } of providers) {
    const own = options.limits.get(id);
    const limits = own ?? { maxQueueMs: options.maxConnectionWaitMs };
    // A provider's limit lasts long, and a connection is soon free.
    const queue = queueLimits(slots, own === undefined ? 4 : 10);
    const ring = own?.keys && new KeyRing({ ...options, provider: id, keys: own.keys });
    byProvider.set(id, createProviderLimit({ limits, connections, queue, ring, clock }));
  }
  let closed = false;

  return {
    /** The limit of a configured provider. */
    of(provider: string): ProviderLimit {
      const limit = byProvider.get(provider);
      if (limit === undefined) throw new Error(`no provider ${provider}`);
      return limit;
    },
    /** Ends every wait, and each later wait at once. */
    close(): void {
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

const ANY: SlotWish = {};

/** The rate and the keys of the operator's account. Calls with another key pass. */
function createPace({ limits: { rateLimit }, ring, clock }: ProviderLimitOptions) {
  const rate = rateLimit === undefined ? null : createSlidingWindow(rateLimit);
  const operatorFreeInMs = () => Math.max(rate?.freeInMs(clock.monotonic()) ?? 0, ring?.freeInMs() ?? 0);
  return {
    freeInMs: ({ own }: SlotWish) => (own === undefined ? operatorFreeInMs() : 0),
    hasRoom: ({ tried, own }: SlotWish) =>
      own !== undefined || (operatorFreeInMs() === 0 && (ring === undefined || ring.next(tried) !== undefined)),
    take({ tried, own }: SlotWish) {
      if (own !== undefined) return undefined;
      rate?.add(clock.monotonic());
      return ring?.take(tried);
    },
  };
}

export function createProviderLimit(options: ProviderLimitOptions) {
  const { limits, connections, ring, clock } = options;
  const { maxConcurrent, maxQueueMs } = limits;
  const pace = createPace(options);
  const slots = createProviderSlots({ connections, maxConcurrent, monotonic: () => clock.monotonic() });
  const queue = createFairQueue<Waiter>(options.queue);
  let cancelTimer = (): void => undefined;
  let isOver = false;

  const hasRoomFor = (organizationId: string, wish: SlotWish) =>
    slots.hasRoomFor(organizationId, wish.own) && pace.hasRoom(wish);
  const nextCall = () => queue.next(slots.heldBy, (waiter) => hasRoomFor(waiter.organizationId, waiter));

  function take(organizationId: string, wish: SlotWish): Slot {
    let isTaken = true;
    const held = pace.take(wish);
    slots.take(organizationId, wish.own);
    return {
      key: held,
      free() {
        if (!isTaken) return;
        isTaken = false;
        held?.free();
        slots.free(organizationId, wish.own);
        if (queue.length > 0) serveQueue();
      },
    };
  }

  /** Admits waiting calls while there is room; ends the waits that are over. */
  function serveQueue(): void {
    const nowMs = clock.monotonic();
    for (const each of queue) if (each.endsAtMs <= nowMs || each.isGone() || lacksKey(each, ring)) giveUp(each);
    for (let next = nextCall(); next !== undefined; next = nextCall()) next.end(take(next.organizationId, next));
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
    const waits = [...queue].map(({ endsAtMs }) => endsAtMs - clock.monotonic());
    cancelTimer = clock.schedule(Math.min(GONE_CHECK_MS, pace.freeInMs(ANY) || GONE_CHECK_MS, ...waits), serveQueue);
  }

  return {
    /** The keys of a provider that has several. */
    ring,
    /** @returns `null` when the provider is at its limit, the organization has its share, or others wait already. */
    enter(organizationId: string, wish: SlotWish = ANY): Slot | null {
      if (wish.own === undefined) slots.asked(organizationId);
      // A waiting call that has room by now comes first.
      if (queue.length > 0) serveQueue();
      return hasRoomFor(organizationId, wish) ? take(organizationId, wish) : null;
    },
    /** Waits for a slot, `maxQueueMs` at most, for a call that has no other model left to ask. @returns `null` when no slot is free in time, the queue is full, or the caller has gone away. */
    wait: (call: WaitingCall): Promise<Slot | null> =>
      new Promise((resolve) => {
        const waitMs = Math.min(maxQueueMs, call.longestMs);
        const waiter = { ...call, endsAtMs: clock.monotonic() + waitMs, isGone: () => call.isGone(), end: resolve };
        // Do not queue a call that cannot start before its deadline.
        if (isOver || waitMs <= pace.freeInMs(call) || !queue.add(call.organizationId, waiter)) resolve(null);
        else setTimer();
      }),
    /** Why the organization gets no slot now. */
    refusal(organizationId: string, wish: SlotWish = ANY): SlotRefusal {
      const isOurs = wish.own !== undefined || !hasLimit(limits) || slots.lacksConnectionFor(organizationId);
      const reason = isOurs ? 'connection_wait_exceeded' : 'upstream_rate_limited';
      return { reason, retryAfterMs: pace.freeInMs(wish) || BUSY_RETRY_MS };
    },
    /** Ends all waits without a slot, and each later one at once. */
    endWaits(): void {
      isOver = true;
      for (const waiter of queue) giveUp(waiter);
      cancelTimer();
    },
  };
}

function lacksKey({ tried }: WaitingCall, ring: KeyRing | undefined): boolean {
  return tried !== undefined && ring?.serving(tried).length === 0;
}

function hasLimit({ keys, ...own }: ProviderLimitOptions['limits']): boolean {
  return [own, ...(keys?.list ?? [])].some((each) => (each.rateLimit ?? each.maxConcurrent) !== undefined);
}

export interface ProviderSlotsOptions {
  /** Most connections of ours to the provider. */
  readonly connections: number;
  /** Most requests that the provider allows at once; `undefined` for no limit. */
  readonly maxConcurrent: number | undefined;
  monotonic(): number;
}

/**
 * An organization may hold this many times the number of free slots. So a single organization holds three quarters, each of two 3/7, each of ten 3/31,
 * and a slot is left for the next organization that asks.
 */
const TIMES_FREE = 3;
/** How long an organization that has asked counts as an organization that asks. */
const RECENT_MS = 300_000;

/** The slots of one provider. No organization can hold so many that the others find none. */
export function createProviderSlots({ connections, maxConcurrent, monotonic }: ProviderSlotsOptions) {
  const slots = createSemaphore({ total: connections, perOrganization: connections });
  /** Those that count in the provider's limit. */
  const limited =
    maxConcurrent === undefined ? null : createSemaphore({ total: connections, perOrganization: connections });
  const callers = createRecentCallers(RECENT_MS);

  /** Extra connections cost little, so the share of connections holds even for a single organization. */
  const lacksConnectionFor = (organizationId: string) =>
    slots.heldBy(organizationId) >= TIMES_FREE * (connections - slots.held);

  /** A provider's limit cannot be raised at will, so a single organization may use all of it while no other organization asks. */
  function isWithinLimit(organizationId: string): boolean {
    if (maxConcurrent === undefined || limited === null) return true;
    const free = maxConcurrent - limited.held;
    if (free <= 0) return false;
    return limited.heldBy(organizationId) < TIMES_FREE * free || callers.isAlone(organizationId, monotonic());
  }

  return {
    /** Notes that an organization asks for a slot. */
    asked(organizationId: string): void {
      if (maxConcurrent !== undefined) callers.called(organizationId, monotonic());
    },
    /** Whether the organization may take a slot now. @param own as in a {@link SlotWish}. */
    hasRoomFor: (organizationId: string, own?: object) =>
      !lacksConnectionFor(organizationId) && (own !== undefined || isWithinLimit(organizationId)),
    /** Whether the organization may take no slot because of our connections, not because of a limit of the provider. */
    lacksConnectionFor,
    /** Only when {@link hasRoomFor} says so. */
    take(organizationId: string, own?: object): void {
      slots.take(organizationId);
      if (own === undefined) limited?.take(organizationId);
    },
    /** Once for each {@link take}. */
    free(organizationId: string, own?: object): void {
      slots.free(organizationId);
      if (own === undefined) limited?.free(organizationId);
    },
    heldBy: slots.heldBy,
  };
}

/**
 * Tells whether an organization is the only one that has called lately. Remembers two times, however many organizations there are.
 *
 * @param windowMs how long a call counts as recent.
 */
export function createRecentCallers(windowMs: number) {
  let last = '';
  let lastMs = -Infinity;
  /** When an organization other than the last one called. */
  let otherMs = -Infinity;

  return {
    called(organizationId: string, nowMs: number): void {
      if (organizationId !== last) otherMs = lastMs;
      last = organizationId;
      lastMs = nowMs;
    },
    isAlone: (organizationId: string, nowMs: number) => nowMs - (organizationId === last ? otherMs : lastMs) > windowMs,
  };
}
