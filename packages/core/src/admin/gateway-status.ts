import type { StoreStatus } from '../base/events/watch-store.js';
import type { AttemptsUnderWay, OldestAttempt } from '../call/attempts-under-way.js';
import type { Settler } from '../call/settler.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { KeyStatus } from '../limits/key-ring.js';
import type { ProviderLimit } from '../limits/provider-limits.js';
import type { CircuitBreaker, ProviderStatus } from '../routing/circuit-breaker.js';

/** The current activity of a gateway in this process. */
export interface GatewayStatus {
  /** Calls in flight, over HTTP and in process. */
  readonly inFlight: number;
  /** Calls in flight for which money is held. */
  readonly holdsInFlight: number;
  /** Charges and releases that the ledger could not write yet. They are retried in the background. */
  readonly settlesWaiting: number;
  /** Of each model with attempts under way, the oldest: an age far above the usual one means a hang. */
  readonly oldestAttempts: readonly OldestAttempt[];
  /** In the order of the option `providers`. */
  readonly providers: readonly (ProviderStatus & {
    readonly id: string;
    /** The keys of a provider that has several, in their order. */
    readonly keys?: readonly KeyStatus[] | undefined;
  })[];
  /** The ledger, the idempotency store, the request log if there is one, and the key store unless the host authenticates. */
  readonly stores: readonly StoreStatus[];
  /** Whether `close` has been called: new calls are refused with 503 `shutting_down`. */
  readonly closing: boolean;
  /** Whose questions and answers are kept, and for how many days. Absent where none are. */
  readonly capture?: { readonly organizations: 'all' | readonly string[]; readonly keepDays: number } | undefined;
}

export interface StatusDeps {
  readonly admission: Pick<InFlightRequests, 'underWay' | 'isDraining'>;
  readonly settler: Pick<Settler, 'open' | 'waiting'>;
  readonly underWay: Pick<AttemptsUnderWay, 'oldest'>;
  readonly breaker: Pick<CircuitBreaker, 'statusOf'>;
  readonly limits: { of(provider: string): Partial<Pick<ProviderLimit, 'ring'>> };
  readonly providers: readonly { readonly id: string }[];
  readonly requestLog?: Pick<GatewayStatus, 'capture'> | undefined;
  readonly watches: { readonly all: readonly { readonly status: StoreStatus }[] };
}

export function readStatus(deps: StatusDeps): GatewayStatus {
  const { admission, settler, underWay, breaker, limits, providers, watches, requestLog } = deps;
  const { capture } = requestLog ?? {};
  return {
    inFlight: admission.underWay,
    holdsInFlight: settler.open,
    settlesWaiting: settler.waiting,
    oldestAttempts: underWay.oldest(),
    providers: providers.map(({ id }) => ({ id, ...breaker.statusOf(id), keys: limits.of(id).ring?.statuses() })),
    stores: watches.all.map(({ status }) => status),
    closing: admission.isDraining,
    capture: capture && { organizations: capture.organizations, keepDays: capture.keepDays },
  };
}
