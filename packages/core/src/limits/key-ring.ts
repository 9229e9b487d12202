import type { UpstreamReason } from '../base/errors/reasons.js';
import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { KeyFailure, ProviderKeyFailed, ProviderKeyRecovered } from '../base/events/provider-events.js';
import type { Clock } from '../base/time/clock.js';
import type { ProviderKey, ProviderKeys } from '../provider-kit/provider.js';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.js';

/** A key as operators see it. */
export interface KeyStatus {
  readonly name: string;
  /** `serving`, or why the key is left out. */
  readonly state: 'serving' | KeyFailure;
  /** Until when it is left out, in milliseconds since the Unix epoch; `null` where it is not, or for good. */
  readonly outUntilMs: number | null;
}

interface Key extends ProviderKey {
  readonly rate: SlidingWindow | undefined;
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

const UNUSED = { outUntilMs: 0, probedUntilMs: 0, round: 0, creditPauses: 0, inUse: 0, usedAt: 0 };

/** One use of a key. */
export interface KeyUse {
  readonly key: Key;
  /** When the use began. What comes of uses of an earlier round changes nothing. */
  readonly round: number;
}

/** The failures for which another key may be better. All others are the same with every key. */
const FAILURES: { readonly [R in UpstreamReason]?: KeyFailure } = {
  upstream_auth_failed: 'rejected',
  upstream_quota_exhausted: 'out_of_credit',
  upstream_rate_limited: 'rate_limited',
};

/** Whether another key may be better. */
export function isOfKey({ reason }: { readonly reason: string }): boolean {
  return Object.hasOwn(FAILURES, reason);
}

export interface KeyRingOptions {
  readonly provider: string;
  readonly keys: ProviderKeys;
  /** How long a key is left out that may be of use again soon. */
  readonly cooldownMs: number;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  emit(event: ProviderKeyFailed | ProviderKeyRecovered): void;
}

const FIRST_CREDIT_PAUSE_MS = 900_000;
const LONGEST_CREDIT_PAUSE_MS = 86_400_000;

/**
 * The keys of one provider that have one owner: which of them serve, and what each has room for. The only place where the state of keys is kept; keys of
 * another owner would be another ring.
 */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #keys: readonly Key[];
  #uses = 0;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#keys = options.keys.list.map((key) => ({
      ...key,
      ...UNUSED,
      state: 'serving',
      rate: key.rateLimit && createSlidingWindow(key.rateLimit),
    }));
  }

  /** The keys that may be tried. @param tried without these. Default: none. */
  serving(tried?: ReadonlySet<string>): readonly Key[] {
    const nowMs = this.#nowMs();
    const isIn = ({ state, outUntilMs, probedUntilMs }: Key) =>
      state === 'serving' || Math.max(outUntilMs, probedUntilMs) <= nowMs;
    return this.#keys.filter((key) => isIn(key) && tried?.has(key.name) !== true);
  }

  /** Milliseconds until the rate limits of the keys allow a request; 0 for now. */
  freeInMs(): number {
    return Math.min(...this.#usable().map((key) => this.#freeInMs(key)));
  }

  /** The key to use now; `undefined` where all are at their limits. @param tried a serving key other than these. Default: any key. */
  next(tried?: ReadonlySet<string>): Key | undefined {
    const free = this.#usable(tried).filter(
      (key) => key.inUse < (key.maxConcurrent ?? Number.POSITIVE_INFINITY) && this.#freeInMs(key) === 0,
    );
    if (this.#options.keys.pick === 'first') return free[0];
    return free.sort((a, b) => a.inUse - b.inUse || a.usedAt - b.usedAt)[0];
  }

  /** Begins to use the key of {@link next}. The use ends with `free`. */
  take(tried?: ReadonlySet<string>): (KeyUse & { free(): void }) | undefined {
    const key = this.next(tried);
    if (key === undefined) return undefined;
    const nowMs = this.#nowMs();
    key.rate?.add(nowMs);
    key.inUse += 1;
    key.usedAt = this.#uses += 1;
    if (key.state !== 'serving' && key.outUntilMs <= nowMs) {
      key.probedUntilMs = nowMs + this.#options.cooldownMs;
      key.round += 1;
    }
    return { key, round: key.round, free: () => void (key.inUse -= 1) };
  }

  /** A request has succeeded. */
  succeeded({ key, round }: KeyUse): void {
    const { state } = key;
    if (state === 'serving' || key.round !== round) return;
    Object.assign(key, { state: 'serving', creditPauses: 0, round: round + 1 });
    this.#emit('provider_key_recovered', key, state);
  }

  /** A request has failed, which leaves the key out if the key is at fault. */
  failed({ key, round }: KeyUse, error: UpstreamError): void {
    const state = FAILURES[error.reason];
    if (state === undefined || key.round !== round) return;
    const isKnown = key.state === state;
    // Asked although it was out, since no key served.
    if (isKnown && key.outUntilMs > this.#nowMs()) return;
    const outUntilMs = this.#nowMs() + this.#pauseMs(key, state, error);
    Object.assign(key, { state, outUntilMs, round: round + 1 });
    if (state === 'out_of_credit') key.creditPauses += 1;
    if (!isKnown) this.#emit('provider_key_failed', key, state);
  }

  statuses(): KeyStatus[] {
    const { clock } = this.#options;
    return this.#keys.map(({ name, state, outUntilMs }) => {
      const leftMs = Math.ceil(outUntilMs - clock.monotonic());
      const isDated = state !== 'serving' && leftMs > 0 && Number.isFinite(leftMs);
      return { name, state, outUntilMs: isDated ? clock.now() + leftMs : null };
    });
  }

  /** Where no key serves, the one that is out for the shortest time: as with a single key, the circuit breaker decides whether the provider is asked. */
  #usable(tried?: ReadonlySet<string>): Key[] {
    const serving = [...this.serving(tried)];
    if (serving.length > 0 || tried !== undefined) return serving;
    return [this.#keys.reduce((soonest, key) => (key.outUntilMs < soonest.outUntilMs ? key : soonest))];
  }

  #pauseMs({ rotates, creditPauses }: Key, state: KeyFailure, { retryAfterMs, status }: UpstreamError): number {
    const { cooldownMs } = this.#options;
    if (state === 'rate_limited') return retryAfterMs ?? cooldownMs;
    if (state === 'out_of_credit') return Math.min(FIRST_CREDIT_PAUSE_MS * 2 ** creditPauses, LONGEST_CREDIT_PAUSE_MS);
    // A function may give another key, and without a status it was the function that failed.
    return rotates === true || status === null ? cooldownMs : Number.POSITIVE_INFINITY;
  }

  #freeInMs({ rate }: Key): number {
    return rate?.freeInMs(this.#nowMs()) ?? 0;
  }

  #nowMs(): number {
    return this.#options.clock.monotonic();
  }

  #emit(type: 'provider_key_failed' | 'provider_key_recovered', { name: key }: Key, state: KeyFailure): void {
    const { provider, clock, emit } = this.#options;
    emit({ type, atMs: clock.now(), provider, key, state });
  }
}
