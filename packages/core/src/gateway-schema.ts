import { z } from 'zod';
import { alertsSchema } from './admin/alert-options.js';
import { requestLogSchema } from './admin/request-log-options.js';
import type { ApiKeyStore } from './auth/api-key.js';
import { AUTH_FAILURE_DEFAULTS, authFailureShape } from './auth/auth-failure-options.js';
import type { Authenticate } from './auth/authenticator.js';
import type { EventListener } from './base/events/events.js';
import { type Logger, processWarnings, safeLogger } from './base/events/logger.js';
import type { Tracer } from './base/events/tracer.js';
import { NO_MARKUP } from './base/money.js';
import { hasMoreCharacters } from './base/options/characters.js';
import { limitSchemas } from './base/options/limit-schemas.js';
import { callback, count, isFunction, multiplier, port } from './base/options/option-schemas.js';
import { parseOptions } from './base/options/parse-options.js';
import { type Clock, systemClock } from './base/time/clock.js';
import { cacheSchema } from './call/cache-options.js';
import { coalescingSchema } from './call/coalescing-options.js';
import { byokSchema } from './call/own-keys.js';
import { modelOverridesSchema } from './catalog/model-overrides.js';
import type { GatewayOptions } from './gateway-options.js';
import { endpointsSchema } from './http/endpoint-options.js';
import { MAX_QUERY_CHARACTERS } from './kinds/fields.js';
import { KIND_LIST } from './kinds/kinds.js';
import type { IdempotencyStore } from './ledger/idempotency-store.js';
import type { Ledger } from './ledger/ledger.js';
import type { PortName, Provider } from './provider-kit/provider.js';
import { fallbackOnSchema } from './routing/fallback-on.js';
import { hedgingSchema } from './routing/hedging-options.js';
import { ROUTE_SORTS } from './routing/routing-preferences.js';

/** What an option is when it is not given. Units end the names. */
export const DEFAULTS = {
  ...AUTH_FAILURE_DEFAULTS,
  maxInFlight: 1_000,
  maxBodyReads: 1_000,
  maxBodyBytes: 64 * 1_024,
  bodyTimeoutMs: 10_000,
  maxQueryCharacters: MAX_QUERY_CHARACTERS,
  maxUpstreamBytes: 8 * 1_024 * 1_024,
  streamKeepAliveMs: 15_000,
  connectTimeoutMs: 5_000,
  maxConnectionsPerProvider: 256,
  maxConnectionWaitMs: 5_000,
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
  idempotencyTtlMs: 24 * 3_600_000,
} as const;

const LEDGER_METHODS: readonly (keyof Ledger)[] = [
  'grant',
  'adjust',
  'hold',
  'admit',
  'ratesUsed',
  'settle',
  'release',
  'expireHolds',
  'organizationTotals',
  'keyTotals',
  'budgetTotals',
  'entries',
  'close',
];

const providerSchema = z.custom<Provider>(isProvider, 'a provider such as exa({ apiKey })');
// `buildRoutes` refuses a text that is no slug, with the nearest one.
const slug = z.string('a slug such as "exa/answer"');

const MAX_GROUP_MODELS = 20;
const MAX_NAME_CHARACTERS = 256;
const NAME = `a name of 1 to ${MAX_NAME_CHARACTERS} characters`;
const nameSchema = z.string().refine((text) => text !== '' && !hasMoreCharacters(text, MAX_NAME_CHARACTERS), NAME);
const group = z.strictObject(
  {
    models: z
      .array(slug, 'an array of slugs')
      .min(1, 'at least one slug')
      .max(MAX_GROUP_MODELS, `at most ${MAX_GROUP_MODELS} slugs`),
    sort: z.enum(['listed', ...ROUTE_SORTS], '"listed", "price" or "latency"').default('listed'),
    fallbackOn: fallbackOnSchema.default(['error']),
  },
  'an object such as { models: [slug, …] }',
);

const schema = z.strictObject({
  providers: z.array(providerSchema, 'an array of providers such as [exa({ apiKey })]').min(1, 'at least one provider'),
  ledger: port<Ledger>(LEDGER_METHODS, 'a ledger such as memoryLedger()'),
  apiKeys: port<ApiKeyStore>(['findByHash'], 'a key store such as memoryApiKeys([...])').optional(),
  authenticate: callback<Authenticate>('a function (token, request) => identity or null').optional(),
  ...authFailureShape,
  endpoints: endpointsSchema.prefault({}),
  aliases: z.record(nameSchema, slug, 'an object of slugs').default({}),
  fallbacks: z.record(slug, z.array(slug, 'an array of slugs'), 'an object of arrays of slugs').default({}),
  groups: z.record(nameSchema, group, 'an object of groups').default({}),
  fallbackOn: fallbackOnSchema.default(['error']),
  hedging: hedgingSchema.prefault({}),
  models: modelOverridesSchema.default({}),
  markup: multiplier.default(NO_MARKUP),
  organizationMarkups: z.record(z.string(), multiplier, 'an object of decimal strings').default({}),
  ...limitSchemas,
  alerts: alertsSchema.optional(),
  cache: cacheSchema.optional(),
  coalescing: coalescingSchema.prefault(false),
  byok: byokSchema.optional(),
  overrun: z.enum(['charge', 'absorb'], '"charge" or "absorb"').default('charge'),
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
  maxConnectionWaitMs: count(0, 600_000).default(DEFAULTS.maxConnectionWaitMs),
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
  requestLog: requestLogSchema.optional(),
  idempotency: port<IdempotencyStore>(['claim', 'complete', 'free'], 'a store such as memoryIdempotency()').optional(),
  idempotencyTtlMs: count(1_000, 2_592_000_000).default(DEFAULTS.idempotencyTtlMs),
  logger: port<Logger>(['warn', 'error'], 'an object with warn and error, such as a pino instance')
    .default(processWarnings)
    .transform(safeLogger),
  onEvent: callback<EventListener>().optional(),
  tracer: port<Tracer>(['startRequest'], 'a tracer such as gatewayTracer()').optional(),
  clock: port<Clock>(['now', 'monotonic', 'schedule'], 'a clock').default(systemClock),
});

const checkedSchema = schema
  .refine(({ apiKeys, authenticate }) => (apiKeys === undefined) !== (authenticate === undefined), {
    path: ['apiKeys'],
    message: 'exactly one of apiKeys and authenticate',
  })
  .refine(({ endpoints, ledger, idempotency = ledger.idempotency }) => !endpoints.asyncAnswers || idempotency, {
    path: ['endpoints', 'asyncAnswers'],
    message: 'a ledger with a store of idempotency keys, or the option idempotency',
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
  const provider = (value ?? {}) as Partial<Provider>;
  const { id, name, models, answer } = provider;
  if (typeof id !== 'string' || !/^[a-z0-9-]+$/.test(id) || typeof name !== 'string' || !Array.isArray(models))
    return false;
  const ports = [
    answer === undefined ? (models.length === 0 ? undefined : false) : isFunction(answer.answer),
    ...KIND_LIST.map(([, kind]) => provider[kind.port] && isPort(provider[kind.port], kind.port)),
  ].filter((isRight) => isRight !== undefined);
  return ports.length > 0 && ports.every(Boolean);
}

function isPort(given: unknown, name: PortName): boolean {
  const { models, [name]: ask } = given as { readonly models?: unknown } & { readonly [Name in PortName]?: unknown };
  return Array.isArray(models) && isFunction(ask);
}
