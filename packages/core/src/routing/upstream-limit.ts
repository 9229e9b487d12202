import type { ProviderLimits } from '../provider-kit/provider.js';
import type { Clock } from '../time/clock.js';
import { createRateWindow } from './rate-window.js';
import { createWaitingLine, type LineBounds, type Waiting } from './waiting-line.js';

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

/** What one provider may be asked at once, and the line of calls that wait for it. */
export interface UpstreamLimit {
  /** @returns a place; `null` where the provider is over its limit, or where others wait already. */
  enter(): Place | null;
  /** Waits for a place, `maxQueueMs` at most. @returns `null` where there is none in time, the line is full, or the caller has gone away. */
  wait(call: WaitingCall): Promise<Place | null>;
  /** Milliseconds after which it makes sense to ask again. */
  retryAfterMs(): number;
  /** Ends all waits without a place. */
  endWaits(): void;
}

export interface UpstreamLimitOptions {
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

export function createUpstreamLimit({ limits, line: bounds, clock }: UpstreamLimitOptions): UpstreamLimit {
  const { rateLimit, maxConcurrent = Number.POSITIVE_INFINITY, maxQueueMs } = limits;
  const rate = rateLimit === undefined ? null : createRateWindow(rateLimit);
  const line = createWaitingLine<Waiter>(bounds);
  let underWay = 0;
  let cancelTimer = (): void => undefined;

  const rateFreeInMs = () => rate?.freeInMs(clock.monotonic()) ?? 0;
  const hasRoom = () => underWay < maxConcurrent && rateFreeInMs() === 0;

  function take(): Place {
    let isTaken = true;
    underWay += 1;
    rate?.add(clock.monotonic());
    return {
      free() {
        if (!isTaken) return;
        isTaken = false;
        underWay -= 1;
        serveLine();
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
    while (line.length > 0 && hasRoom()) line.next()?.end(take());
    look();
  }

  /** Looks again when something may have changed by itself. */
  function look(): void {
    cancelTimer();
    if (line.length === 0) return;
    const nowMs = clock.monotonic();
    let inMs = GONE_CHECK_MS;
    if (underWay < maxConcurrent) inMs = Math.min(inMs, rateFreeInMs());
    for (const { endsAtMs } of line) inMs = Math.min(inMs, endsAtMs - nowMs);
    cancelTimer = clock.schedule(inMs, serveLine);
  }

  return {
    enter: () => (line.length === 0 && hasRoom() ? take() : null),
    wait: (call) =>
      new Promise((resolve) => {
        const waitMs = Math.min(maxQueueMs, call.longestMs);
        const { organizationId, longestMs } = call;
        const endsAtMs = clock.monotonic() + waitMs;
        const waiter = { organizationId, longestMs, endsAtMs, isGone: () => call.isGone(), end: resolve };
        // Who cannot be served in time takes no one's place in the line.
        if (waitMs <= rateFreeInMs() || !line.join(waiter)) resolve(null);
        else look();
      }),
    retryAfterMs: () => rateFreeInMs() || BUSY_RETRY_MS,
    endWaits() {
      for (const waiter of line) {
        line.leave(waiter);
        waiter.end(null);
      }
      cancelTimer();
    },
  };
}
