import type { UpstreamReason } from '../base/errors/reasons.js';
import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { KeyFailure, ProviderKeyFailed, ProviderKeyRecovered } from '../base/events/provider-events.js';
import type { Clock } from '../base/time/clock.js';
import type { ProviderKey, ProviderKeys } from '../provider-kit/provider.js';
import { createProviderSlots, type ProviderSlots } from './provider-slots.js';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.js';

/** One use of a key, for an attempt or a request of it. */
export interface KeyUse {
  readonly name: string;
  /** The key's round when the use began. What comes of uses of an earlier round changes nothing. */
  readonly round: number;
}

/** A key as operators see it. */
export interface KeyStatus {
  readonly name: string;
  /** `serving`, or why the key is left out. */
  readonly state: 'serving' | KeyFailure;
  /** When the key is tried again, in milliseconds since the Unix epoch; `null` while it serves, for the next call, and for a key that is out for good. */
  readonly outUntilMs: number | null;
}

/**
 * The keys of one provider that have one owner: which of them serve, and what each has room for. The only place where the state of keys is kept; keys of
 * another owner would be another ring.
 */
export interface KeyRing {
  /** Whether a key has a limit of its own. */
  readonly isLimited: boolean;
  /** Milliseconds until the rate limits of the keys allow a request; 0 for now. */
  freeInMs(): number;
  /** As {@link ProviderSlots.asked}, of every key. */
  asked(organizationId: string): void;
  /** Whether a key may be used now. @param tried only for another key than these, and only for one that serves. */
  hasRoomFor(organizationId: string, tried?: ReadonlySet<string>): boolean;
  /** Takes a key, only when {@link hasRoomFor} says so. */
  take(organizationId: string, tried?: ReadonlySet<string>): { readonly use: KeyUse; free(): void };
  /** Whether a key serves. @param tried besides these. */
  hasServing(tried?: ReadonlySet<string>): boolean;
  /** Whether the key of a use has been left out since. */
  isOut(use: KeyUse): boolean;
  /** A request has succeeded. */
  succeeded(use: KeyUse): void;
  /** A request has failed, which leaves the key out if it is at fault. @param isDoubtful whether a refusal may be that of a page which a caller has named. */
  failed(use: KeyUse, error: KeyError, isDoubtful: boolean): void;
  statuses(): KeyStatus[];
}

type KeyError = Pick<UpstreamError, 'reason' | 'retryAfterMs' | 'status'>;

export interface KeyRingOptions {
  readonly provider: string;
  readonly keys: ProviderKeys;
  /** Most connections of ours to the provider. */
  readonly connections: number;
  /** How long a key is left out that may be of use again soon. */
  readonly cooldownMs: number;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  emit(event: ProviderKeyFailed | ProviderKeyRecovered): void;
}

/** The failures for which another key may be better. All others are the same with every key. */
const FAILURES: { readonly [R in UpstreamReason]?: KeyFailure } = {
  upstream_auth_failed: 'rejected',
  upstream_quota_exhausted: 'out_of_credit',
  upstream_rate_limited: 'rate_limited',
};

/** Whether another key may be better. */
export function isOfKey({ reason }: Pick<UpstreamError, 'reason'>): boolean {
  return FAILURES[reason] !== undefined;
}

const FIRST_CREDIT_PAUSE_MS = 900_000;
const LONGEST_CREDIT_PAUSE_MS = 86_400_000;

interface Key extends Pick<ProviderKey, 'name' | 'rotates'> {
  readonly slots: ProviderSlots;
  readonly rate: SlidingWindow | null;
  state: KeyStatus['state'];
  /** By the monotonic clock. */
  outUntilMs: number;
  /** Until then, one request tries the key that was left out, and the others do not. */
  probedUntilMs: number;
  /** Incremented whenever the key is left out, tried again and back. */
  round: number;
  creditPauses: number;
  inUse: number;
  /** The number of the last use. */
  usedAt: number;
}

export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { provider, connections, cooldownMs, clock } = options;
  const { pick, list } = options.keys;
  const monotonic = () => clock.monotonic();
  const keys = list.map(({ name, rotates, rateLimit, maxConcurrent }): Key => {
    const slots = createProviderSlots({ connections, maxConcurrent, monotonic });
    const rate = rateLimit === undefined ? null : createSlidingWindow(rateLimit);
    const unused = { outUntilMs: 0, probedUntilMs: 0, round: 0, creditPauses: 0, inUse: 0, usedAt: 0 };
    return { name, rotates, slots, rate, state: 'serving', ...unused };
  });
  const byName = new Map(keys.map((key) => [key.name, key]));
  let uses = 0;

  function serving(tried?: ReadonlySet<string>): Key[] {
    const nowMs = monotonic();
    const serves = ({ state, outUntilMs, probedUntilMs }: Key) =>
      state === 'serving' || Math.max(outUntilMs, probedUntilMs) <= nowMs;
    return keys.filter((key) => serves(key) && tried?.has(key.name) !== true);
  }

  /** Where no key serves, the one that is out for the shortest time: as with a single key, the circuit breaker decides whether the provider is asked. */
  function usable(tried?: ReadonlySet<string>): Key[] {
    const found = serving(tried);
    if (found.length > 0 || tried !== undefined) return found;
    return [keys.reduce((soonest, key) => (key.outUntilMs < soonest.outUntilMs ? key : soonest))];
  }

  const rateFreeInMs = ({ rate }: Key) => rate?.freeInMs(monotonic()) ?? 0;

  function next(organizationId: string, tried?: ReadonlySet<string>): Key | undefined {
    const free = usable(tried).filter((key) => key.slots.hasRoomFor(organizationId) && rateFreeInMs(key) === 0);
    const isBefore = (a: Key, b: Key) => a.inUse < b.inUse || (a.inUse === b.inUse && a.usedAt < b.usedAt);
    if (pick === 'first' || free.length === 0) return free[0];
    return free.reduce((best, key) => (isBefore(key, best) ? key : best));
  }

  function pauseMs({ rotates, creditPauses }: Key, state: KeyFailure, { retryAfterMs, status }: KeyError): number {
    if (state === 'rate_limited') return retryAfterMs ?? cooldownMs;
    if (state === 'out_of_credit') return Math.min(FIRST_CREDIT_PAUSE_MS * 2 ** creditPauses, LONGEST_CREDIT_PAUSE_MS);
    // A function may give another key, and without a status it was the function that failed.
    return rotates === true || status === null ? cooldownMs : Number.POSITIVE_INFINITY;
  }

  function leaveOut(key: Key, state: KeyFailure, error: KeyError): void {
    const isNew = key.state !== state;
    const durationMs = pauseMs(key, state, error);
    Object.assign(key, { state, outUntilMs: monotonic() + durationMs, round: key.round + 1 });
    if (state === 'out_of_credit') key.creditPauses += 1;
    if (isNew) options.emit({ type: 'provider_key_failed', atMs: clock.now(), provider, key: key.name, state });
  }

  return {
    isLimited: list.some(({ rateLimit, maxConcurrent }) => rateLimit !== undefined || maxConcurrent !== undefined),
    freeInMs: () => Math.min(...usable().map(rateFreeInMs)),
    asked(organizationId) {
      for (const { slots } of keys) slots.asked(organizationId);
    },
    hasRoomFor: (organizationId, tried) => next(organizationId, tried) !== undefined,
    take(organizationId, tried) {
      const key = next(organizationId, tried);
      if (key === undefined) throw new Error(`no key of ${provider} has room`);
      const nowMs = monotonic();
      key.slots.take(organizationId);
      key.rate?.add(nowMs);
      key.inUse += 1;
      key.usedAt = uses += 1;
      if (key.state !== 'serving' && key.outUntilMs <= nowMs) {
        key.probedUntilMs = nowMs + cooldownMs;
        key.round += 1;
      }
      return {
        use: { name: key.name, round: key.round },
        free() {
          key.slots.free(organizationId);
          key.inUse -= 1;
        },
      };
    },
    hasServing: (tried) => serving(tried).length > 0,
    isOut({ name, round }) {
      const key = byName.get(name);
      return key !== undefined && key.state !== 'serving' && key.round !== round;
    },
    succeeded({ name, round }) {
      const key = byName.get(name);
      if (key === undefined || key.state === 'serving' || key.round !== round) return;
      const { state } = key;
      Object.assign(key, { state: 'serving', creditPauses: 0, round: round + 1 });
      options.emit({ type: 'provider_key_recovered', atMs: clock.now(), provider, key: name, state });
    },
    failed({ name, round }, error, isDoubtful) {
      const key = byName.get(name);
      const state = FAILURES[error.reason];
      if (key === undefined || state === undefined || key.round !== round) return;
      if (isDoubtful && state === 'rejected') return;
      // Asked although it was out, since no key served: nothing new.
      if (key.state === state && key.outUntilMs > monotonic()) return;
      leaveOut(key, state, error);
    },
    statuses() {
      const nowMs = monotonic();
      return keys.map(({ name, state, outUntilMs }) => {
        const leftMs = state === 'serving' ? 0 : outUntilMs - nowMs;
        const isDated = leftMs > 0 && leftMs !== Number.POSITIVE_INFINITY;
        return { name, state, outUntilMs: isDated ? clock.now() + Math.ceil(leftMs) : null };
      });
    },
  };
}
