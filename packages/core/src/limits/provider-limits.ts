import type { LineBounds } from './fair-queue.js';
import {
  createUpstreamLimit,
  type PlaceRefusal,
  type Slot,
  type UpstreamLimit,
  type UpstreamLimitOptions,
  type WaitingCall,
} from './provider-limit.js';

/** What each provider may be asked at once. No provider's line holds up calls to another one. */
export interface UpstreamLimits {
  /** Asks to make one attempt. @returns `null` where there is none for the organization now; else a slot, to be given back once. */
  enter(provider: string, organizationId: string): Slot | null;
  /** Waits for a slot where no other model is left to ask. @returns `null` where there is none in time. */
  wait(provider: string, call: WaitingCall): Promise<Slot | null>;
  /** What is in the organization's way now. */
  refusal(provider: string, organizationId: string): PlaceRefusal;
  /** Ends every wait, those that would begin later too. */
  close(): void;
  isClosed(): boolean;
}

export interface UpstreamLimitsOptions extends Pick<UpstreamLimitOptions, 'connections' | 'clock'> {
  readonly providers: readonly { readonly id: string }[];
  /** By provider, of those that have any. */
  readonly limits: ReadonlyMap<string, UpstreamLimitOptions['limits']>;
  /** Longest wait for a connection to a provider without limits. */
  readonly maxConnectionWaitMs: number;
  /** Most answer calls at once. Those who wait for one provider take up only a part of these: the others must not be held up. */
  readonly slots: LineBounds;
}

export function createUpstreamLimits(options: UpstreamLimitsOptions): UpstreamLimits {
  const { providers, connections, slots, clock } = options;
  const byProvider = new Map<string, UpstreamLimit>();
  for (const { id } of providers) {
    const own = options.limits.get(id);
    const limits = own ?? { maxQueueMs: options.maxConnectionWaitMs };
    // A limit is in the way for long, and a connection is soon free.
    const line = own === undefined ? partOf(slots, 4) : partOf(slots, 10);
    byProvider.set(id, createUpstreamLimit({ limits, connections, line, clock }));
  }
  let closed = false;

  function limitOf(provider: string): UpstreamLimit {
    const limit = byProvider.get(provider);
    if (limit === undefined) throw new Error(`no provider ${provider}`);
    return limit;
  }

  return {
    enter: (provider, organizationId) => limitOf(provider).enter(organizationId),
    wait: async (provider, call) => (closed ? null : await limitOf(provider).wait(call)),
    refusal: (provider, organizationId) => limitOf(provider).refusal(organizationId),
    close() {
      closed = true;
      for (const limit of byProvider.values()) limit.endWaits();
    },
    isClosed: () => closed,
  };
}

function partOf({ total, perOrganization }: LineBounds, divisor: number): LineBounds {
  const part = (slots: number) => Math.max(1, Math.floor(slots / divisor));
  return { total: part(total), perOrganization: part(perOrganization) };
}
