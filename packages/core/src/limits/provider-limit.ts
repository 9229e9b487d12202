import type { Clock } from '../base/time/clock.js';
import type { ProviderLimits } from '../provider-kit/provider.js';
import { createWaitingLine, type LineBounds, type Waiting } from './fair-queue.js';
import { createFairPlaces } from './fair-slots.js';
import { createRateWindow } from './sliding-window.js';

/** The right to have one attempt under way. */
export interface Place {
  /** Gives it back. Only the first time counts. */
  free(): void;
}

/** A call that waits for a place. */
export interface WaitingCall extends Waiting {
  /** The call has no more time than this. */
  readonly longestMs: number;
  /** Whether the caller has gone away. Polled, since listening would cost every request. */
  isGone(): boolean;
}

/** Why there is no place: the provider's own limit, or our connections to it. */
export interface PlaceRefusal {
  readonly reason: 'upstream_rate_limited' | 'connection_wait_exceeded';
  /** Milliseconds after which it makes sense to ask again. */
  readonly retryAfterMs: number;
}

/** What one provider may be asked at once, by all and by each organization, and the line of calls that wait for it. */
export interface UpstreamLimit {
  /** @returns a place; `null` where the provider is over its limit, where the organization has its share, or where others wait already. */
  enter(organizationId: string): Place | null;
  /** Waits for a place, `maxQueueMs` at most. @returns `null` where there is none in time, the line is full, or the caller has gone away. */
  wait(call: WaitingCall): Promise<Place | null>;
  /** What is in the organization's way now. */
  refusal(organizationId: string): PlaceRefusal;
  /** Ends all waits without a place. */
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
  end(place: Place | null): void;
}

/** How often it is looked whether those who wait have gone away. */
const GONE_CHECK_MS = 50;
/** When an attempt under way ends is not known. */
const BUSY_RETRY_MS = 1_000;

export function createUpstreamLimit({ limits, connections, line: bounds, clock }: UpstreamLimitOptions): UpstreamLimit {
  const { rateLimit, maxConcurrent, maxQueueMs } = limits;
  const rate = rateLimit === undefined ? null : createRateWindow(rateLimit);
  const places = createFairPlaces({ connections, maxConcurrent, monotonic: () => clock.monotonic() });
  const line = createWaitingLine<Waiter>(bounds);
  let cancelTimer = (): void => undefined;

  const rateFreeInMs = () => rate?.freeInMs(clock.monotonic()) ?? 0;
  const hasRoomFor = (organizationId: string) => places.hasRoomFor(organizationId) && rateFreeInMs() === 0;
  const usedBy = (organizationId: string) =>
    hasRoomFor(organizationId) ? places.heldBy(organizationId) : Number.POSITIVE_INFINITY;

  function take(organizationId: string): Place {
    let isTaken = true;
    places.take(organizationId);
    rate?.add(clock.monotonic());
    return {
      free() {
        if (!isTaken) return;
        isTaken = false;
        places.free(organizationId);
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
      places.asked(organizationId);
      // A call that waits and has room by now comes first.
      if (line.length > 0) serveLine();
      return hasRoomFor(organizationId) ? take(organizationId) : null;
    },
    wait: (call) =>
      new Promise((resolve) => {
        const { organizationId, longestMs } = call;
        const endsAtMs = clock.monotonic() + Math.min(maxQueueMs, longestMs);
        const waiter = { organizationId, longestMs, endsAtMs, isGone: () => call.isGone(), end: resolve };
        // Who cannot be served in time takes no one's place in the line.
        if (endsAtMs <= clock.monotonic() + rateFreeInMs() || !line.join(waiter)) resolve(null);
        else look();
      }),
    refusal(organizationId) {
      const isTheirs = (rateLimit ?? maxConcurrent) !== undefined && !places.lacksConnectionFor(organizationId);
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
