import type { IdempotencyRecords } from '../answer/claims.js';
import type { IndeterminateHolds } from '../answer/indeterminate-holds.js';
import type { Settler } from '../answer/settler.js';
import type { EventStream } from '../base/events/events.js';
import type { Deadlines } from '../base/time/deadline.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { UpstreamLimits } from '../limits/provider-limits.js';
import { longestRouteMs } from '../routing/longest-route.js';
import type { Routes } from '../routing/route-plan.js';
import type { UpstreamPools } from '../upstream/upstream-pools.js';

/** What a gateway has to close. */
export interface Closable {
  readonly config: ClosingConfig;
  readonly routes: Routes;
  readonly admission: InFlightRequests;
  readonly limits: Pick<UpstreamLimits, 'close'>;
  readonly deadlines: Deadlines;
  readonly settler: Settler;
  readonly indeterminateHolds: Pick<IndeterminateHolds, 'close'>;
  readonly claims: IdempotencyRecords;
  readonly alerts: { close(): Promise<void> } | null;
  readonly pools: UpstreamPools;
  readonly events: EventStream;
  stopSweeping(): void;
}

interface ClosingConfig {
  /** Default: the longest a call can take. */
  readonly drainTimeoutMs?: number | undefined;
  readonly bodyTimeoutMs: number;
  readonly ledgerTimeoutMs: number;
}

/** Closes in an order in which whatever is cut off can still give back what it holds; no step waits for anything without a limit. */
export function closeOnce({
  config,
  routes,
  admission,
  deadlines,
  settler,
  claims,
  ...parts
}: Closable): () => Promise<void> {
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    // Nothing has been asked or paid for who waits: another instance serves them sooner.
    parts.limits.close();
    await admission.drain(config.drainTimeoutMs ?? longestCallMs(routes, config));
    admission.stop();
    parts.stopSweeping();
    deadlines.endAll();
    // What was just ended needs a moment to give back what it holds.
    await admission.drain(config.ledgerTimeoutMs);
    const { indeterminateHolds, pools } = parts;
    await Promise.all([settler, indeterminateHolds, claims, pools].map((each) => each.close()));
    // Behind the last charges, whose budgets are still to be checked.
    await parts.alerts?.close();
    parts.events.flush();
  }

  return () => (closed ??= close());
}

/** The longest a call can take: its body, its attempts, and six waits of the ledger's time (a turn, key, claim, hold, the ends of both). */
function longestCallMs(routes: Routes, { bodyTimeoutMs, ledgerTimeoutMs }: ClosingConfig): number {
  return Math.min(MAX_DRAIN_MS, longestRouteMs(routes) + bodyTimeoutMs + 6 * ledgerTimeoutMs);
}

const MAX_DRAIN_MS = 86_400_000;
