import type { Clock } from '../base/time/clock.js';
import type { ProviderLimits } from '../provider-kit/provider.js';
import { createFairQueue, type LineBounds, type Waiting } from './fair-queue.js';
import { createFairSlots } from './fair-slots.js';
import { createSlidingWindow } from './sliding-window.js';

/** The right to have one attempt under way. */
export interface Slot {
  /** Gives it back. Only the first time counts. */
  free(): void;
}

/** A call that waits for a slot. */
export interface WaitingCall extends Waiting {
  /** The call has no more time than this. */
  readonly longestMs: number;
  /** Whether the caller has gone away. Polled, since listening would cost every request. */
  isGone(): boolean;
}

/** Why there is no slot: the provider's own limit, or our connections to it. */
export interface PlaceRefusal {
  readonly reason: 'upstream_rate_limited' | 'connection_wait_exceeded';
  /** Milliseconds after which it makes sense to ask again. */
  readonly retryAfterMs: number;
}

/** What one provider may be asked at once, by all and by each organization, and the line of calls that wait for it. */
export interface UpstreamLimit {
  /** @returns a slot; `null` where the provider is over its limit, where the organization has its share, or where others wait already. */
  enter(organizationId: string): Slot | null;
  /** Waits for a slot, `maxQueueMs` at most. @returns `null` where there is none in time, the line is full, or the caller has gone away. */
  wait(call: WaitingCall): Promise<Slot | null>;
  /** What is in the organization's way now. */
  refusal(organizationId: string): PlaceRefusal;
  /** Ends all waits without a slot. */
  endWaits(): void;
}

export interface UpstreamLimitOptions {
  /** Most attempts under way at once, each of which has a connection of its own. */
  readonly connections: number;
  readonly limits: ProviderLimits & { readonly maxQueueMs: number };
  readonly line: LineBounds;
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>;
}

interface Waiter extends WaitingCall {
  readonly endsAtMs: number;
  end(slot: Slot | null): void;
}

/** How often it is looked whether those who wait have gone away. */
const GONE_CHECK_MS = 50;
/** When an attempt under way ends is not known. */
const BUSY_RETRY_MS = 1_000;

export function createUpstreamLimit({ limits, connections, line: bounds, clock }: UpstreamLimitOptions): UpstreamLimit {
  const { rateLimit, maxConcurrent, maxQueueMs } = limits;
  const rate = rateLimit === undefined ? null : createSlidingWindow(rateLimit);
  const slots = createFairSlots({ connections, maxConcurrent, monotonic: () => clock.monotonic() });
  const line = createFairQueue<Waiter>(bounds);
  let cancelTimer = (): void => undefined;

  const rateFreeInMs = () => rate?.freeInMs(clock.monotonic()) ?? 0;
  const hasRoomFor = (organizationId: string) => slots.hasRoomFor(organizationId) && rateFreeInMs() === 0;
  const usedBy = (organizationId: string) =>
    hasRoomFor(organizationId) ? slots.heldBy(organizationId) : Number.POSITIVE_INFINITY;

  function take(organizationId: string): Slot {
    let isTaken = true;
    slots.take(organizationId);
    rate?.add(clock.monotonic());
    return {
      free() {
        if (!isTaken) return;
        isTaken = false;
        slots.free(organizationId);
        if (line.length > 0) serveLine();
      },
    };
  }

  /** Lets in whom there is room for, and sends away whose time is over. */
  function serveLine(): void {
    const nowMs = clock.monotonic();
    for (const waiter of line) {
      if (waiter.endsAtMs > nowMs && !waiter.isGone()) continue;
      line.leave(waiter);
      waiter.end(null);
    }
    for (let next = line.next(usedBy); next !== undefined; next = line.next(usedBy))
      next.end(take(next.organizationId));
    look();
  }

  /** Looks again when something may have changed by itself. */
  function look(): void {
    cancelTimer();
    if (line.length === 0) return;
    const nowMs = clock.monotonic();
    let inMs = Math.min(GONE_CHECK_MS, rateFreeInMs() || GONE_CHECK_MS);
    for (const { endsAtMs } of line) inMs = Math.min(inMs, endsAtMs - nowMs);
    cancelTimer = clock.schedule(inMs, serveLine);
  }

  return {
    enter(organizationId) {
      slots.asked(organizationId);
      // A call that waits and has room by now comes first.
      if (line.length > 0) serveLine();
      return hasRoomFor(organizationId) ? take(organizationId) : null;
    },
    wait: (call) =>
      new Promise((resolve) => {
        const { organizationId, longestMs } = call;
        const endsAtMs = clock.monotonic() + Math.min(maxQueueMs, longestMs);
        const waiter = { organizationId, longestMs, endsAtMs, isGone: () => call.isGone(), end: resolve };
        // Who cannot be served in time takes no one's slot in the line.
        if (endsAtMs <= clock.monotonic() + rateFreeInMs() || !line.join(waiter)) resolve(null);
        else look();
      }),
    refusal(organizationId) {
      const isTheirs = (rateLimit ?? maxConcurrent) !== undefined && !slots.lacksConnectionFor(organizationId);
      const reason = isTheirs ? 'upstream_rate_limited' : 'connection_wait_exceeded';
      return { reason, retryAfterMs: rateFreeInMs() || BUSY_RETRY_MS };
    },
    endWaits() {
      for (const waiter of line) {
        line.leave(waiter);
        waiter.end(null);
      }
      cancelTimer();
    },
  };
}
