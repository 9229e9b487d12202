import { type Clock, systemClock } from '../base/time/clock.js';
import { Deadline } from '../base/time/deadline.js';
import { createUpstreamPools } from '../upstream/upstream-pools.js';
import type { CallContext } from './provider.js';

/** Limits of the connections. */
export interface OpenUpstreamOptions {
  /** The clock for deadlines. @default the system clock */
  readonly clock?: Clock | undefined;
  /** Largest reply body. @default 1 MiB */
  readonly maxUpstreamBytes?: number | undefined;
  /** Longest wait for a connection. @default 30 s */
  readonly connectTimeoutMs?: number | undefined;
}

/** The adapter's context for one attempt. */
export interface OpenAttempt extends CallContext {
  /** Ends the attempt before its deadline. Call it when the adapter is done. */
  end(): void;
}

/** Connections for adapters without a gateway. */
export interface OpenUpstream {
  /** Begins an attempt with its own deadline. */
  begin(timeoutMs: number): OpenAttempt;
  /** Closes every connection. Requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Opens connections for adapters without a gateway, for tests and scripts that call an adapter directly.
 * One connection per origin.
 *
 * @throws ConfigurationError where undici cannot run.
 */
export function openUpstream(options: OpenUpstreamOptions = {}): OpenUpstream {
  const { clock = systemClock, maxUpstreamBytes = 1_024 * 1_024, connectTimeoutMs = 30_000 } = options;
  const pools = createUpstreamPools({ clock, maxUpstreamBytes, connectTimeoutMs, maxConnectionsPerOrigin: 1 });
  return {
    begin(timeoutMs) {
      const deadline = new Deadline(clock, timeoutMs);
      return {
        upstream: pools.open(deadline),
        get signal() {
          return deadline.signal;
        },
        end: () => deadline.clear(),
      };
    },
    close: () => pools.close(),
  };
}
