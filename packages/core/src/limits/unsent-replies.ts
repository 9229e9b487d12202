import { RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import type { Semaphore } from './fair-shares.js';

/** A written response on its way to the caller, as its host sees it. */
export interface Delivery {
  /** Bytes that wait for the caller. */
  readonly bufferedBytes: number;
  /** All bytes written so far. It may be 0 for a response that was written at once. */
  readonly writtenBytes: number;
  /** Whether other responses of the connection have to be sent first. */
  readonly isBehindOther: boolean;
  /** Whether the response is sent, or can no longer be sent. */
  readonly isOver: boolean;
  /** Closes the connection. */
  destroy(): void;
}

/** Is told how a response fares. A host that accepts one must call `over` at the end of every response: a slot depends on it. */
export interface ReplyListener {
  /** The response is written, but not yet sent. */
  watch(delivery: Delivery): void;
  /** The response is sent, or given up. Later calls have no effect. */
  over(): void;
}

/** Responses that are written and not yet sent, by organization. */
export interface UnsentReplies {
  /** Begins to watch a response. */
  open(): Reply;
  /** @throws RequestError `overloaded` (503, retry after 1 s) for an organization that leaves too much unread. */
  check(organizationId: string): void;
}

/** How much may be unsent. */
export interface UnsentRepliesOptions {
  /** Measures how long a response stands still. */
  readonly clock: Clock;
  /** An organization with more unsent bytes begins no further call. With twice as many, its slowest response is ended; four times is the most of all. */
  readonly maxBytes: number;
}

/** A response that waits is ended if it has moved less than this in this time. */
const LEAST_MOVED_BYTES = 8_192;
const MAX_STALL_MS = 30_000;
/**
 * Linux reports progress in bursts of a third of its send buffer: 1.6 MB every 27 s to a reader of 64 kB/s (seen 2026-11-28). So a burst after a silence earns
 * the time in which a reader of half that rate takes it.
 */
const SILENCE_MS = 3_000;
const BURST_BYTES_PER_MS = 32;
const MAX_EARNED_MS = 120_000;
const LOOK_EVERY_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * Refusing the next call costs its caller nothing, so the first bound refuses. Calls that began together can still exceed any bound: above the second,
 * the response that has stood still longest is ended, because a reader is not at fault for the others.
 */
export function createUnsentReplies({ clock, maxBytes }: UnsentRepliesOptions): UnsentReplies {
  const waiting = new Set<Reply>();
  const unsentBytes = new Map<string, number>();
  const unsentOf = ({ organizationId }: Pick<Reply, 'organizationId'>) => unsentBytes.get(organizationId) ?? 0;
  let isLooking = false;

  /** Counts what waits of a response. It is watched until it is over. */
  function count(reply: Reply): void {
    const { delivery, organizationId } = reply;
    const bytes = delivery?.bufferedBytes ?? 0;
    const together = unsentOf(reply) + bytes - reply.bytes;
    reply.bytes = bytes;
    if (together === 0) unsentBytes.delete(organizationId);
    else unsentBytes.set(organizationId, together);
    if (delivery === null) waiting.delete(reply);
    else waiting.add(reply);
    lookSoon();
  }

  /** One timer for all responses, and none while all are sent. */
  function lookSoon(): void {
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    clock.schedule(LOOK_EVERY_MS, look, 'background');
  }

  function look(): void {
    const nowMs = clock.monotonic();
    for (const reply of waiting) reply.look(nowMs);
    endSlowest(nowMs);
    isLooking = false;
    lookSoon();
  }

  function endSlowest(nowMs: number): void {
    let total = 0;
    for (const bytes of unsentBytes.values()) total += bytes;
    if (total <= 2 * maxBytes) return;
    for (const reply of [...waiting].toSorted((a, b) => unsentOf(b) - unsentOf(a) || a.markMs - b.markMs)) {
      const own = unsentOf(reply);
      // An organization may have one response of any length.
      const isTooMuch = total > 4 * maxBytes || (own > 2 * maxBytes && own > reply.bytes);
      if (!isTooMuch || nowMs - reply.markMs < LOOK_EVERY_MS) continue;
      total -= reply.bytes;
      reply.giveUp();
    }
  }

  return {
    open: () => new Reply(count, clock),
    check(organizationId) {
      if (unsentOf({ organizationId }) <= maxBytes) return;
      for (const reply of waiting) if (reply.organizationId === organizationId) count(reply);
      if (unsentOf({ organizationId }) > maxBytes)
        throw new RequestError('overloaded', { retryAfterMs: RETRY_MS, note: UNREAD });
    },
  };
}

const UNREAD = 'Earlier responses to the organization have not been read yet.';

/** A response, from its request on. */
export class Reply implements ReplyListener {
  /** Of the caller; empty for a caller without a valid key. */
  organizationId = '';
  /** `null` before the response is written, and when it is over. */
  delivery: Delivery | null = null;
  /** The unsent bytes as last counted. */
  bytes = 0;
  /** Since when the response has stood still. */
  markMs = 0;
  #markBytes = 0;
  #maxStallMs = MAX_STALL_MS;
  #wasEmpty = false;
  /** `undefined` until the call has ended. */
  #slot: Pick<Semaphore, 'free'> | null | undefined;
  #isOver = false;
  readonly #count: (reply: Reply) => void;
  readonly #clock: Clock;

  constructor(count: (reply: Reply) => void, clock: Clock) {
    this.#count = count;
    this.#clock = clock;
  }

  /** As {@link ReplyListener.watch}. */
  watch(delivery: Delivery): void {
    if (this.#isOver) return;
    this.delivery = delivery;
    this.markMs = this.#clock.monotonic();
    this.#count(this);
  }

  /** As {@link ReplyListener.over}. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.delivery !== null) {
      this.delivery = null;
      this.#count(this);
    }
    this.#slot?.free(this.organizationId);
  }

  /** The call has ended. Its slot is free when the response is over too. */
  end(slot: Pick<Semaphore, 'free'> | null): void {
    this.#slot = slot;
    if (this.#isOver) slot?.free(this.organizationId);
  }

  /** Closes the connection. */
  giveUp(): void {
    this.delivery?.destroy();
    this.over();
  }

  /** Counts what was sent since the last look, and ends a response that stands still. @param nowMs of the monotonic clock. */
  look(nowMs: number): void {
    this.#count(this);
    const { delivery, bytes } = this;
    if (delivery === null) return;
    const sentBytes = delivery.writtenBytes - bytes;
    const movedBytes = sentBytes - this.#markBytes;
    const isEmpty = bytes === 0;
    // An empty response waits for its provider, or, after its call, for a host that may never write it.
    const isWaiting = delivery.isBehindOther || (isEmpty && this.#slot === undefined);
    if (isWaiting || isEmpty !== this.#wasEmpty || movedBytes >= LEAST_MOVED_BYTES) {
      const earnedMs = nowMs - this.markMs < SILENCE_MS ? 0 : movedBytes / BURST_BYTES_PER_MS;
      this.#maxStallMs = Math.max(MAX_STALL_MS, Math.min(MAX_EARNED_MS, earnedMs));
      this.markMs = nowMs;
      this.#markBytes = sentBytes;
    }
    this.#wasEmpty = isEmpty;
    const isStalled = nowMs - this.markMs >= this.#maxStallMs;
    if (delivery.isOver || (isStalled && isEmpty)) this.over();
    else if (isStalled) this.giveUp();
  }
}
