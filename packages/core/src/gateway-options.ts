import { z } from 'zod';
import type { ApiKeyStore } from './auth/api-key.js';
import type { Authenticate } from './auth/authenticator.js';
import { type ModelOverrides, modelOverridesSchema } from './catalog/model-overrides.js';
import type { EventListener } from './events/events.js';
import { type Logger, processWarnings, safeLogger } from './events/logger.js';
import { createIdSource, type IdSource } from './ids/ids.js';
import type { IdempotencyStore } from './ledger/idempotency-store.js';
import type { ExpiryPolicy, Ledger } from './ledger/ledger.js';
import { NO_MARKUP } from './money/money.js';
import { callback, count, isFunction, multiplier, port } from './options/option-schemas.js';
import { parseOptions } from './options/parse-options.js';
import type { Provider } from './provider-kit/provider.js';
import { ROUTE_SORTS, type RouteSort } from './routing/routing-preferences.js';
import { type Clock, systemClock } from './time/clock.js';

/** What an option is when it is not given. Units end the names. */
export const DEFAULTS = {
  implausibleCostFactor: 20,
  maxInFlight: 1_000,
  maxBodyReads: 1_000,
  maxBodyBytes: 64 * 1_024,
  bodyTimeoutMs: 10_000,
  maxQueryCharacters: 8_000,
  maxUpstreamBytes: 8 * 1_024 * 1_024,
  streamKeepAliveMs: 15_000,
  connectTimeoutMs: 5_000,
  maxConnectionsPerProvider: 256,
  maxAttempts: 3,
  retryBaseDelayMs: 250,
  retryMaxDelayMs: 5_000,
  providerFailureThreshold: 5,
  providerCooldownMs: 30_000,
  ledgerTimeoutMs: 5_000,
  keyCacheMaxAgeMs: 5_000,
  keyCacheMaxKeys: 10_000,
  holdGraceMs: 60_000,
  expireHoldsEveryMs: 30_000,
  idempotencyKeepMs: 24 * 3_600_000,
} as const;

/** One group of models. */
interface GroupOptions {
  /** 1 to 20 slugs, none twice. */
  readonly models: readonly string[];
  /** Which of them is tried first. Default `listed`. */
  readonly sort?: 'listed' | RouteSort | undefined;
}

/**
 * What `createGateway` takes. Flat; every unknown or wrong option throws a `ConfigurationError` there, never at request time.
 *
 * @typeParam Host the framework's own request, where `authenticate` reads it.
 */
export interface GatewayOptions<Host = unknown> {
  /** The upstreams whose answer models can be called. At least one. */
  readonly providers: readonly Provider[];
  /** Where money is kept. The host owns it: `gateway.close()` does not close it. */
  readonly ledger: Ledger;
  /** Where API keys are found. Exactly one of `apiKeys` and `authenticate` is given. */
  readonly apiKeys?: ApiKeyStore | undefined;
  /** The host's own authentication instead of API keys. */
  readonly authenticate?: Authenticate<Host> | undefined;
  /**
   * The `WWW-Authenticate` header of what `authenticate` refuses, such as `Session realm="shop"`; `null` for none. Only beside `authenticate`.
   * Default `Bearer realm="searchgate"`.
   */
  readonly wwwAuthenticate?: string | null | undefined;

  /** Other names for answer models: `{ fast: 'exa/answer' }`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Answer models to try, in order, after one has failed: `{ 'exa/answer': ['perplexity/sonar'] }`. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * Several answer models under one name, which callers ask as they ask a model: `{ auto: { models: ['exa/answer', 'perplexity/sonar'], sort:
   * 'latency' } }`. The models of a group are tried as `listed` (the default), the cheapest first, or the one that has lately answered fastest.
   */
  readonly groups?: Readonly<Record<string, GroupOptions>> | undefined;
  /** Changes to the catalog by slug: hide a model, change its price, texts or deadline, or list a model of your own. */
  readonly models?: ModelOverrides | undefined;
  /** Multiplier on every price, a decimal string. Default `"1"`. */
  readonly markup?: string | undefined;
  /** Multipliers for single organizations, instead of `markup`. */
  readonly organizationMarkups?: Readonly<Record<string, string>> | undefined;

  /**
   * What a caller is charged when a call costs more than was held. `charge`: the true cost, so a budget can be overdrawn by what the
   * calls in flight cost beyond their holds. `absorb`: never more than was held; the rest is the operator's `loss`. Default `charge`.
   */
  readonly overrun?: 'charge' | 'absorb' | undefined;
  /**
   * A reported cost above this many times the ceiling of the price row is not charged: the ceiling is, the rest is a `loss`, and the
   * event `cost_implausible` says so. 1 to 1,000,000, default 20.
   */
  readonly implausibleCostFactor?: number | undefined;

  /** Most answer calls at once; more get 503 `overloaded`. Default 1,000. */
  readonly maxInFlight?: number | undefined;
  /** Most of them of one key, and of one organization with all its keys. Default: a quarter of `maxInFlight`, at least 1. */
  readonly maxInFlightPerKey?: number | undefined;
  /** Most request bodies waited for at once; more get 503 `overloaded`. A body that has arrived whole is not waited for. Default 1,000. */
  readonly maxBodyReads?: number | undefined;
  /** Most of them of one key, and of one organization with all its keys. Default: a quarter of `maxBodyReads`, at least 1. */
  readonly maxBodyReadsPerKey?: number | undefined;
  /** Largest request body. Default 64 KiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Longest wait for a request body. Default 10 s. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Longest query, in characters after trimming. Default 8,000. */
  readonly maxQueryCharacters?: number | undefined;
  /** Largest reply read from a provider, and most of a streamed answer that is kept for a caller who reads slowly. Default 8 MiB. */
  readonly maxUpstreamBytes?: number | undefined;
  /** How long a stream may be silent before a comment keeps its connection open. Default 15 s. */
  readonly streamKeepAliveMs?: number | undefined;
  /** Longest wait for a connection to a provider; the model's own deadline covers it too. Default 5 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Most connections to one provider. Default 256. */
  readonly maxConnectionsPerProvider?: number | undefined;
  /** Most attempts for one call, retries and fallbacks together, 1 to 10. Default 3. */
  readonly maxAttempts?: number | undefined;
  /** Upper bound of the first pause before a retry; doubled for each further one, with full jitter. Default 250 ms. */
  readonly retryBaseDelayMs?: number | undefined;
  /** Longest pause before a retry; a provider whose `Retry-After` asks for more is not retried. Default 5 s. */
  readonly retryMaxDelayMs?: number | undefined;
  /** Failures in a row after which a provider is skipped. Default 5. */
  readonly providerFailureThreshold?: number | undefined;
  /** How long a failing provider is skipped before one probe. Default 30 s. */
  readonly providerCooldownMs?: number | undefined;
  /** Longest wait for the ledger, the key store or `authenticate`. Default 5 s. */
  readonly ledgerTimeoutMs?: number | undefined;
  /** Hard age of cached API keys, at most a minute: how long a revoked key may live on. 0 turns the cache off. Default 5 s. */
  readonly keyCacheMaxAgeMs?: number | undefined;
  /** Most API keys cached. Default 10,000. */
  readonly keyCacheMaxKeys?: number | undefined;
  /** How long after its last possible moment a call's hold is kept, in case the process dies. Default 60 s. */
  readonly holdGraceMs?: number | undefined;
  /**
   * Longest wait of `close()` for calls under way; those left then are ended. Default: the longest any call may take, by the deadlines
   * of its models and the limits on its body and the ledger.
   */
  readonly drainTimeoutMs?: number | undefined;
  /** How often holds left behind by dead processes are looked for. 0 for never (another process does it). Default 30 s. */
  readonly expireHoldsEveryMs?: number | undefined;
  /** What to do with such holds. Default `release`. */
  readonly expiryPolicy?: ExpiryPolicy | undefined;

  /**
   * Where claims of `Idempotency-Key`s and the responses to replay are kept. Default: the ledger's own; for a ledger that has none, this
   * process's memory, which is right for one process alone.
   */
  readonly idempotency?: IdempotencyStore | undefined;
  /** How long a response is replayed to a caller that repeats the call. Default 24 h. */
  readonly idempotencyKeepMs?: number | undefined;

  /** Gets bugs, failed hooks and unsettled money. A pino instance fits. Default: process warnings. */
  readonly logger?: Logger | undefined;
  /** Subscribed to the event stream from the start; same as `gateway.on`. */
  readonly onEvent?: EventListener | undefined;
  /** Time, randomness and ids, for tests. */
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly newId?: IdSource | undefined;
}

const LEDGER_METHODS: readonly (keyof Ledger)[] = [
  'grant',
  'adjust',
  'hold',
  'settle',
  'release',
  'expireHolds',
  'organizationTotals',
  'keyTotals',
  'entries',
  'close',
];

const providerSchema = z.custom<Provider>(isProvider, 'a provider such as exa({ apiKey })');
const slug = z.string('a slug').regex(/^[a-z0-9-]+\/[\w.:-]+$/i, 'a slug of the form provider/model');

const MAX_GROUP_MODELS = 20;
const MAX_NAME_CHARACTERS = 256;
const group = z.strictObject(
  {
    models: z
      .array(slug, 'an array of slugs')
      .min(1, 'at least one slug')
      .max(MAX_GROUP_MODELS, `at most ${MAX_GROUP_MODELS} slugs`),
    sort: z.enum(['listed', ...ROUTE_SORTS], '"listed", "price" or "latency"').default('listed'),
  },
  'an object such as { models: [slug, …] }',
);

const CHALLENGE = 'a challenge such as Bearer realm="shop" in printable ASCII, or null';

const schema = z.strictObject({
  providers: z.array(providerSchema, 'an array of providers such as [exa({ apiKey })]').min(1, 'at least one provider'),
  ledger: port<Ledger>(LEDGER_METHODS, 'a ledger such as memoryLedger()'),
  apiKeys: port<ApiKeyStore>(['findByHash'], 'a key store such as memoryApiKeys([...])').optional(),
  authenticate: callback<Authenticate>('a function (token, request) => identity or null').optional(),
  wwwAuthenticate: z
    .string(CHALLENGE)
    .regex(/^[\w!#$%&'*+.^`|~-]+(?: [\x20-\x7e]+)?$/, CHALLENGE)
    .nullable()
    .optional(),
  aliases: z.record(z.string().min(1), slug, 'an object of slugs').default({}),
  fallbacks: z.record(slug, z.array(slug, 'an array of slugs'), 'an object of arrays of slugs').default({}),
  groups: z.record(z.string().min(1).max(MAX_NAME_CHARACTERS), group, 'an object of groups').default({}),
  models: modelOverridesSchema.default({}),
  markup: multiplier.default(NO_MARKUP),
  organizationMarkups: z.record(z.string(), multiplier, 'an object of decimal strings').default({}),
  overrun: z.enum(['charge', 'absorb'], '"charge" or "absorb"').default('charge'),
  implausibleCostFactor: count(1, 1_000_000).default(DEFAULTS.implausibleCostFactor),
  maxInFlight: count(1, 1_000_000).default(DEFAULTS.maxInFlight),
  maxInFlightPerKey: count(1, 1_000_000).optional(),
  maxBodyReads: count(1, 1_000_000).default(DEFAULTS.maxBodyReads),
  maxBodyReadsPerKey: count(1, 1_000_000).optional(),
  maxBodyBytes: count(64, 64 * 1_024 * 1_024).default(DEFAULTS.maxBodyBytes),
  bodyTimeoutMs: count(1, 600_000).default(DEFAULTS.bodyTimeoutMs),
  maxQueryCharacters: count(1, 1_000_000).default(DEFAULTS.maxQueryCharacters),
  maxUpstreamBytes: count(1_024, 1_024 * 1_024 * 1_024).default(DEFAULTS.maxUpstreamBytes),
  streamKeepAliveMs: count(10, 600_000).default(DEFAULTS.streamKeepAliveMs),
  connectTimeoutMs: count(1, 600_000).default(DEFAULTS.connectTimeoutMs),
  maxConnectionsPerProvider: count(1, 65_535).default(DEFAULTS.maxConnectionsPerProvider),
  maxAttempts: count(1, 10).default(DEFAULTS.maxAttempts),
  retryBaseDelayMs: count(0, 60_000).default(DEFAULTS.retryBaseDelayMs),
  retryMaxDelayMs: count(0, 60_000).default(DEFAULTS.retryMaxDelayMs),
  providerFailureThreshold: count(1, 1_000_000).default(DEFAULTS.providerFailureThreshold),
  providerCooldownMs: count(1, 3_600_000).default(DEFAULTS.providerCooldownMs),
  ledgerTimeoutMs: count(1, 600_000).default(DEFAULTS.ledgerTimeoutMs),
  keyCacheMaxAgeMs: count(0, 60_000).default(DEFAULTS.keyCacheMaxAgeMs),
  keyCacheMaxKeys: count(1, 10_000_000).default(DEFAULTS.keyCacheMaxKeys),
  holdGraceMs: count(0, 86_400_000).default(DEFAULTS.holdGraceMs),
  drainTimeoutMs: count(0, 86_400_000).optional(),
  expireHoldsEveryMs: count(0, 86_400_000).default(DEFAULTS.expireHoldsEveryMs),
  expiryPolicy: z.enum(['release', 'charge'], '"release" or "charge"').default('release'),
  idempotency: port<IdempotencyStore>(['claim', 'complete', 'free'], 'a store such as memoryIdempotency()').optional(),
  idempotencyKeepMs: count(1_000, 2_592_000_000).default(DEFAULTS.idempotencyKeepMs),
  logger: port<Logger>(['warn', 'error'], 'an object with warn and error, such as a pino instance')
    .default(processWarnings)
    .transform(safeLogger),
  onEvent: callback<EventListener>().optional(),
  clock: port<Clock>(['now', 'monotonic', 'schedule'], 'a clock').default(systemClock),
  random: callback<() => number>().default(() => Math.random),
  newId: callback<IdSource>().default(createIdSource),
});

const checkedSchema = schema
  .refine(({ authenticate, wwwAuthenticate }) => authenticate !== undefined || wwwAuthenticate === undefined, {
    path: ['wwwAuthenticate'],
    message: 'none beside apiKeys: what they are sent with is fixed',
  })
  .refine(({ apiKeys, authenticate }) => (apiKeys === undefined) !== (authenticate === undefined), {
    path: ['apiKeys'],
    message: 'exactly one of apiKeys and authenticate',
  })
  .refine(({ providers }) => new Set(providers.map(({ id }) => id)).size === providers.length, {
    path: ['providers'],
    message: 'no provider twice',
  });

/** The options after parsing: checked, with every default filled in. */
export type GatewayConfig = z.output<typeof checkedSchema>;

/** Checks a host's options. @throws ConfigurationError listing every problem. */
export function parseGatewayOptions(options: GatewayOptions<never>): GatewayConfig {
  return parseOptions(checkedSchema, options, '');
}

function isProvider(value: unknown): boolean {
  const { id, name, models, answer } = (value ?? {}) as Partial<Provider>;
  return (
    typeof id === 'string' &&
    /^[a-z0-9-]+$/.test(id) &&
    typeof name === 'string' &&
    Array.isArray(models) &&
    isFunction(answer?.answer)
  );
}
