import type { AlertOptions } from './admin/alert-options.js';
import type { CaptureOptions } from './admin/request-log-options.js';
import type { ApiKeyStore } from './auth/api-key.js';
import type { AuthFailureOptions } from './auth/auth-failure-options.js';
import type { Authenticate } from './auth/authenticator.js';
import type { TenantFee, TenantKeys } from './auth/tenant-keys.js';
import type { EventListener } from './base/events/events.js';
import type { Logger } from './base/events/logger.js';
import type { Tracer } from './base/events/tracer.js';
import type { Clock } from './base/time/clock.js';
import type { CacheOptions } from './call/cache-options.js';
import type { LimitDefaults } from './call/caller-limits.js';
import type { CoalescingOptions } from './call/coalescing-options.js';
import type { ModelOverrides } from './catalog/model-overrides.js';
import type { EndpointOptions } from './http/endpoint-options.js';
import type { IdempotencyStore } from './ledger/idempotency-store.js';
import type { Ledger } from './ledger/ledger.js';
import type { RequestLog } from './ledger/request-log.js';
import type { Provider } from './provider-kit/provider.js';
import type { HedgingOptions } from './routing/hedging-options.js';
import type { FallbackOn, RouteSort } from './routing/routing-preferences.js';

/** One group of models. */
interface GroupOptions {
  /** 1 to 20 slugs, none twice. */
  readonly models: readonly string[];
  /** Which of them is tried first. @default `listed` */
  readonly sort?: 'listed' | RouteSort | undefined;
  /** After what the next model is asked: `['error']`, or `['error', 'empty']` for searches. @default `['error']` */
  readonly fallbackOn?: FallbackOn | undefined;
}

/**
 * What `createGateway` takes. Flat; every unknown or wrong option throws a `ConfigurationError` there, never at request time.
 *
 * @typeParam Host the framework's own request, where `authenticate` or `clientAddress` reads it.
 */
export interface GatewayOptions<Host = unknown> extends AuthFailureOptions<Host> {
  /** The upstreams whose models can be called. At least one. */
  readonly providers: readonly Provider[];
  /** Where money is kept. The host owns it: `gateway.close()` does not close it. */
  readonly ledger: Ledger;
  /** Where API keys are found. Exactly one of `apiKeys` and `authenticate` is given. @default none */
  readonly apiKeys?: ApiKeyStore | undefined;
  /** The host's own authentication instead of API keys. @default none */
  readonly authenticate?: Authenticate<Host> | undefined;

  /**
   * Further paths to turn on, such as `{ usage: true }`, and paths of models to turn off or to give a default model.
   *
   * @default `/answer`, `/models`, `/credits`, `/key`, and a path for every other kind of models that a provider has
   */
  readonly endpoints?: EndpointOptions | undefined;

  /** Other names for models, each for one slug: `{ fast: 'exa/answer' }`. @default none */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Models of the same category to try, in order, after one has failed: `{ 'exa/answer': ['perplexity/sonar'] }`. Not for embedding models. @default none */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * After what fallbacks are asked. With `['error', 'empty']` also after a search that found nothing; then the caller pays each empty list too, and the hold
   * covers all models that may be asked. Groups have their own.
   *
   * @default `['error']`
   */
  readonly fallbackOn?: FallbackOn | undefined;
  /**
   * Several models of one category under one name, which callers ask as they ask a model: `{ auto: { models: ['exa/answer', 'perplexity/sonar'], sort:
   * 'latency' } }`. They are tried as `listed` (the default), by `price` the cheapest first, by `latency` the one that has lately answered fastest first. An
   * embedding model is alone in its group.
   *
   * @default none
   */
  readonly groups?: Readonly<Record<string, GroupOptions>> | undefined;
  /** Second models to ask when one is slow: `{ 'exa/answer': { afterMs: 4_000, with: 'tavily/answer', maxExtraCost: '0.01' } }`. @default none */
  readonly hedging?: HedgingOptions | undefined;
  /** Changes to the catalog by slug: hide a model, change its price, texts or deadline, or list a model of your own. @default none */
  readonly models?: ModelOverrides | undefined;
  /** Multiplier on every price, a decimal string. @default `"1"` */
  readonly markup?: string | undefined;
  /** Multipliers for single organizations by id, instead of `markup`. @default none */
  readonly organizationMarkups?: Readonly<Record<string, string>> | undefined;

  /**
   * What a caller is charged when a call costs more than was held. `charge`: the true cost, so a budget can be overdrawn by what the calls in flight cost
   * beyond their holds. `absorb`: never more than was held; the rest is the operator's `loss`.
   *
   * @default `charge`
   */
  readonly overrun?: 'charge' | 'absorb' | undefined;

  /**
   * Organizations may have keys of their own at vendors: their calls then cost a fee, and the vendor bills the organization. `sharedKeys` lets such a call go
   * on with the operator's key, at its price, where the vendor refuses the organization's. Keys are looked up again after a minute.
   *
   * @default none
   */
  readonly byok?:
    | {
        /** Where keys are found. */
        readonly keys: TenantKeys;
        /** Of keys without a fee of their own. @default `'0'` */
        readonly fee?: TenantFee | undefined;
        /** @default `false` */
        readonly sharedKeys?: boolean | undefined;
        /** Longest wait for a key; then the call goes to other providers, or ends with 503 `provider_key_unavailable`. @default 2 s */
        readonly timeoutMs?: number | undefined;
      }
    | undefined;

  /** Limits of rate and concurrency of every key and organization that has none of its own. @default none */
  readonly defaultLimits?: LimitDefaults['defaultLimits'] | undefined;
  /**
   * The same for single organizations by id, and for their keys: they come before `defaultLimits`, and behind what a key or an organization has of its own.
   *
   * @default none
   */
  readonly organizationLimits?: LimitDefaults['organizationLimits'] | undefined;

  /** Events when budgets run out: `{ thresholds: ['0.8', '1'], creditsLow: '10.00' }`. @default none */
  readonly alerts?: AlertOptions | undefined;

  /** Answers are kept and given again: `{ ttlMs: 600_000 }`. @default none */
  readonly cache?: CacheOptions | undefined;
  /** Calls of one organization that ask the same at the same time share one call at a provider: `true`, or `{ sharedPrice: '0.5' }`. @default `false` */
  readonly coalescing?: boolean | CoalescingOptions | undefined;

  /** Most calls of all kinds at once; more get 503 `overloaded`. @default 1,000 */
  readonly maxInFlight?: number | undefined;
  /** Most of them of one organization with all its keys. @default a quarter of `maxInFlight`, at least 1 */
  readonly maxInFlightPerKey?: number | undefined;
  /** Most request bodies waited for at once; more get 503 `overloaded`. A body that has arrived whole is not waited for. @default 1,000 */
  readonly maxBodyReads?: number | undefined;
  /** Most of them of one organization with all its keys. @default a quarter of `maxBodyReads`, at least 1 */
  readonly maxBodyReadsPerKey?: number | undefined;
  /** Largest request body. @default 64 KiB */
  readonly maxBodyBytes?: number | undefined;
  /** Longest wait for a request body. @default 10 s */
  readonly bodyTimeoutMs?: number | undefined;
  /** Longest query, in characters after trimming. @default 8,000 */
  readonly maxQueryCharacters?: number | undefined;
  /** Largest reply read from a provider, and most of a streamed answer that is kept for a caller who reads slowly. @default 8 MiB */
  readonly maxUpstreamBytes?: number | undefined;
  /** How long a stream may be silent before a comment keeps its connection open. @default 15 s */
  readonly streamKeepAliveMs?: number | undefined;
  /** Longest wait for a connection to a provider; the model's own deadline covers it too. @default 5 s */
  readonly connectTimeoutMs?: number | undefined;
  /** Most connections to one provider. One organization holds at most three times as many as are free, so alone three quarters. @default 256 */
  readonly maxConnectionsPerProvider?: number | undefined;
  /** Longest wait for one of these; then the call ends with 503 `connection_wait_exceeded`. @default 5 s */
  readonly maxConnectionWaitMs?: number | undefined;
  /** Most attempts for one call, retries and fallbacks together, 1 to 10. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** Upper bound of the first pause before a retry; doubled for each further one, with full jitter. @default 250 ms */
  readonly retryBaseDelayMs?: number | undefined;
  /** Longest pause before a retry; a provider whose `Retry-After` asks for more is not retried. @default 5 s */
  readonly retryMaxDelayMs?: number | undefined;
  /** Failures in a row after which a provider is skipped. @default 5 */
  readonly providerFailureThreshold?: number | undefined;
  /** How long a failing provider is skipped before one probe. @default 30 s */
  readonly providerCooldownMs?: number | undefined;
  /** Longest wait for the ledger, the key store or `authenticate`. @default 5 s */
  readonly ledgerTimeoutMs?: number | undefined;
  /** Hard age of cached API keys, at most a minute: how long a revoked key may live on. 0 turns the cache off. @default 5 s */
  readonly keyCacheMaxAgeMs?: number | undefined;
  /** Most API keys cached. @default 10,000 */
  readonly keyCacheMaxKeys?: number | undefined;
  /** How long after its last possible moment a call's hold is kept, in case the process dies. @default 60 s */
  readonly holdGraceMs?: number | undefined;
  /**
   * Longest wait of `close()` for calls under way; those left then are ended.
   *
   * @default the longest any call may take, by the deadlines of its models and the limits on its body and the ledger
   */
  readonly drainTimeoutMs?: number | undefined;
  /** How often holds left behind by dead processes are looked for, and freed. 0 for never (another process does it). @default 30 s */
  readonly expireHoldsEveryMs?: number | undefined;

  /**
   * Where claims of `Idempotency-Key`s and the responses to replay are kept.
   *
   * @default the ledger's own; for a ledger that has none, this process's memory, which is right for one process alone
   */
  readonly idempotency?: IdempotencyStore | undefined;
  /** How long a response is replayed to a caller that repeats the call. @default 24 h */
  readonly idempotencyTtlMs?: number | undefined;

  /**
   * Where calls are kept for operators, without their text unless `capture` asks for it: `{ log: ledger.requests, keepDays: 14, maxRows: 2_000_000 }` with these defaults, or `{ log:
   * memoryRequestLog() }` of `@searchgate/core/ledger`. Written off the path of calls.
   *
   * @default nowhere
   */
  readonly requestLog?:
    | {
        readonly log: RequestLog;
        /** Days that calls are kept, 1 to 400. @default 14 */
        readonly keepDays?: number | undefined;
        /** Most calls that are kept; the oldest go first. @default 2,000,000 */
        readonly maxRows?: number | undefined;
        /** Questions and answers are kept too, for operators and readers. @default none are */
        readonly capture?: CaptureOptions | undefined;
      }
    | undefined;

  /** Gets bugs, failed hooks and unsettled money. A pino instance fits. @default process warnings */
  readonly logger?: Logger | undefined;
  /** Subscribed to the event stream from the start; same as `gateway.on`. @default none */
  readonly onEvent?: EventListener | undefined;
  /** Makes spans of calls and attempts, such as `gatewayTracer()` of `@searchgate/opentelemetry`. @default none, at no cost */
  readonly tracer?: Tracer | undefined;
  /** Time, for tests. @default the system clock */
  readonly clock?: Clock | undefined;
}
