import {
  createUpstreamLimit,
  type Place,
  type UpstreamLimit,
  type UpstreamLimitOptions,
  type WaitingCall,
} from './upstream-limit.js';
import type { LineBounds } from './waiting-line.js';

/** What each provider may be asked at once. No provider's line holds up calls to another one. */
export interface UpstreamLimits {
  /** Asks to make one attempt. @returns `null` where the provider is over its limit; else a place, to be given back once. */
  enter(provider: string): Place | null;
  /** Waits for a place where no other model is left to ask. @returns `null` where there is none in time. */
  wait(provider: string, call: WaitingCall): Promise<Place | null>;
  /** Milliseconds after which it makes sense to ask again. */
  retryAfterMs(provider: string): number;
  /** Ends every wait, those that would begin later too. */
  close(): void;
  isClosed(): boolean;
}

export interface UpstreamLimitsOptions extends Pick<UpstreamLimitOptions, 'clock'> {
  /** By provider, of those that have any. */
  readonly limits: ReadonlyMap<string, UpstreamLimitOptions['limits']>;
  /** Most answer calls at once. Those who wait for one provider take up at most a tenth of these: the others must not be held up. */
  readonly places: LineBounds;
}

const UNLIMITED: Place = { free: () => undefined };

export function createUpstreamLimits({ limits, places, clock }: UpstreamLimitsOptions): UpstreamLimits {
  const line = { total: tenthOf(places.total), perOrganization: tenthOf(places.perOrganization) };
  const byProvider = new Map<string, UpstreamLimit>();
  for (const [provider, own] of limits) byProvider.set(provider, createUpstreamLimit({ limits: own, line, clock }));
  let closed = false;

  return {
    enter(provider) {
      const limit = byProvider.get(provider);
      return limit === undefined ? UNLIMITED : limit.enter();
    },
    wait: async (provider, call) => (closed ? null : ((await byProvider.get(provider)?.wait(call)) ?? null)),
    retryAfterMs: (provider) => byProvider.get(provider)?.retryAfterMs() ?? 0,
    close() {
      closed = true;
      for (const limit of byProvider.values()) limit.endWaits();
    },
    isClosed: () => closed,
  };
}

function tenthOf(places: number): number {
  return Math.max(1, Math.floor(places / 10));
}
