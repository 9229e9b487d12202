import type { EventStream } from '../base/events/events.js';
import type { StoreWatches } from '../base/events/watch-store.js';
import type { Deadlines } from '../base/time/deadline.js';
import type { IdempotencyRecords } from '../call/idempotency-records.js';
import type { IndeterminateHolds } from '../call/indeterminate-holds.js';
import type { Settler } from '../call/settler.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { ProviderLimits } from '../limits/provider-limits.js';
import { longestRouteMs } from '../routing/longest-route.js';
import type { Routes } from '../routing/route-plan.js';
import type { UpstreamPools } from '../upstream/upstream-pools.js';

/** The parts that a gateway has to close. */
export interface Closable {
  readonly config: ClosingConfig;
  readonly routes: Routes;
  readonly admission: InFlightRequests;
  readonly limits: Pick<ProviderLimits, 'close'>;
  readonly deadlines: Deadlines;
  readonly settler: Settler;
  readonly indeterminateHolds: Pick<IndeterminateHolds, 'close'>;
  readonly claims: IdempotencyRecords;
  readonly alerts: { close(): Promise<void> };
  readonly pools: UpstreamPools;
  readonly events: EventStream;
  readonly watches: Pick<StoreWatches, 'all'>;
  stopSweeping(): void;
  /** Writes the rest of the request log. */
  stopLogging(): Promise<void>;
}

interface ClosingConfig {
  /** Default: the longest a call can take. */
  readonly drainTimeoutMs?: number | undefined;
  readonly bodyTimeoutMs: number;
  readonly ledgerTimeoutMs: number;
  readonly byok?: { readonly timeoutMs: number } | undefined;
}

/** Closes the parts in an order that lets interrupted calls still release their money and claims. Every step has a time limit. */
export function closeOnce(parts: Closable): () => Promise<void> {
  const { config, admission, settler, indeterminateHolds, claims, pools } = parts;
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    // Calls that wait for a slot have cost nothing yet: another instance serves them sooner.
    parts.limits.close();
    await admission.drain(config.drainTimeoutMs ?? longestCallMs(parts.routes, config));
    admission.stop();
    parts.stopSweeping();
    parts.watches.all.forEach((watch) => watch.stop());
    parts.deadlines.endAll();
    // The interrupted calls need a moment to release their money and claims.
    await admission.drain(config.ledgerTimeoutMs);
    await Promise.all([settler, indeterminateHolds, claims, pools].map((each) => each.close()));
    // After the last charges: alerts still have to check their budgets.
    await parts.alerts.close();
    parts.events.flush();
    await parts.stopLogging();
    // With what the log has lost.
    parts.events.flush();
  }

  return () => (closed ??= close());
}

/**
 * The longest duration of a call: its body, its attempts, its vendor keys, and six waits for the ledger (turn, key, claim, hold, end of the claim, end of the
 * hold).
 */
function longestCallMs(routes: Routes, { bodyTimeoutMs, ledgerTimeoutMs, byok }: ClosingConfig): number {
  const othersMs = bodyTimeoutMs + 6 * ledgerTimeoutMs + (byok?.timeoutMs ?? 0);
  return Math.min(MAX_DRAIN_MS, longestRouteMs(routes) + othersMs);
}

const MAX_DRAIN_MS = 86_400_000;
