import { createAdmission } from './answer/admission.js';
import { createAttempt } from './answer/attempt.js';
import { type Claims, createClaims } from './answer/claims.js';
import { type PlanAnswerDeps, planAnswer } from './answer/plan-answer.js';
import { type RunAnswerDeps, runAnswer } from './answer/run-answer.js';
import { createSettler } from './answer/settler.js';
import { type Authenticator, hookAuthenticator, storeAuthenticator } from './auth/authenticator.js';
import { type CachedApiKeyStore, cachedApiKeys } from './auth/cached-api-keys.js';
import { buildCatalog } from './catalog/catalog.js';
import type { Category, ModelEntry } from './catalog/model-entry.js';
import { createEventStream, type EventListener, type EventStream } from './events.js';
import { type GatewayConfig, type GatewayOptions, parseGatewayOptions } from './gateway-options.js';
import type { GatewayRequest, GatewayResponse } from './http/gateway-request.js';
import { createRequestHandler } from './http/handle-request.js';
import { createInProcessCalls, type InProcessCalls } from './in-process-calls.js';
import { guardIdempotency } from './ledger/guarded-idempotency.js';
import { guardLedger } from './ledger/guarded-ledger.js';
import type { Ledger } from './ledger/ledger.js';
import { memoryIdempotency } from './ledger/memory-idempotency.js';
import { buildRoutes } from './routing/build-routes.js';
import { createProviderHealth } from './routing/provider-health.js';
import { createUpstreamPools, type UpstreamPools } from './upstream/upstream-pools.js';

/** The assembled gateway: build once, mount anywhere, close at the end. */
export interface Gateway extends InProcessCalls {
  /** Serves one HTTP request; resolves to `undefined` when the path is not ours, so that the host's other routes see it. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayResponse | undefined>;
  /** Every model that can be called or is listed, as `GET /models` shows them without organisation markups. */
  models(filter?: { readonly category?: Category | undefined }): readonly ModelEntry[];
  /** Makes a change to a key take effect in this process at once. @param hash lower-case hex SHA-256 of the bearer token. */
  invalidateKey(hash: string): void;
  /** Subscribes to the event stream. @returns a function that unsubscribes. */
  on(listener: EventListener): () => void;
  /**
   * Refuses new calls (503 `shutting_down`), waits for those in flight, ends holds and claims that could not be ended before, frees
   * sockets and timers. Takes at most as long as the longest call in flight. The ledger stays open: it is the host's.
   */
  close(): Promise<void>;
}

/**
 * Builds a gateway. Does no I/O; the first request opens the first connection.
 *
 * @throws ConfigurationError listing every wrong option with its path, what was found and what was expected.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const config = parseGatewayOptions(options);
  const { clock, logger, newId } = config;
  const events = createEventStream(logger);
  if (config.onEvent !== undefined) events.subscribe(config.onEvent);
  const answerModels = config.providers.flatMap(({ id, models }) => models.map((model) => ({ provider: id, model })));
  const catalog = buildCatalog({ answerModels, overrides: config.models, clock });
  const ledger = guardLedger(config.ledger, { timeoutMs: config.ledgerTimeoutMs, clock });
  const claims = buildClaims(config, events);
  const { authenticator, invalidateKey } = buildAuthentication(config);
  const admission = createAdmission(config.maxInFlight);
  const settler = createSettler({ ledger, clock, events, logger });
  const pools = buildUpstreamPools(config);
  const health = createProviderHealth({
    failureThreshold: config.providerFailureThreshold,
    cooldownMs: config.providerCooldownMs,
    clock,
    emit: (event) => {
      events.emit(event);
    },
  });
  const adapters = new Map(config.providers.map(({ id, answer }) => [id, answer]));
  const attempt = createAttempt({
    adapters,
    openUpstream: (deadline) => pools.open(deadline),
    health,
    clock,
    events,
    logger,
  });
  const retry = { baseDelayMs: config.retryBaseDelayMs, maxDelayMs: config.retryMaxDelayMs, random: config.random };
  const markupOf = markups(config);
  const planning: PlanAnswerDeps = { routes: buildRoutes(catalog, config), clock, holdGraceMs: config.holdGraceMs };
  const answering: RunAnswerDeps = {
    holding: { ledger, clock, logger },
    attempting: { attempt, health, retry, clock, maxAttempts: config.maxAttempts },
    settler,
    clock,
    events,
    newAnswerId: () => `ans_${newId(clock.now())}`,
    markupOf,
  };
  const answers = { plan: planAnswer.bind(null, planning), run: runAnswer.bind(null, answering) };
  const shared = { admission, ledger, clock, newId, events, logger, answers };
  const stopSweeping = sweepHolds({ ledger, config, events });

  return {
    handle: createRequestHandler({
      ...shared,
      claims,
      limits: config,
      authenticate: (request) => authenticator.byRequest(request),
      listModels: (category, organizationId) => catalog.list({ category, markup: markupOf(organizationId) }),
    }),
    ...createInProcessCalls({ ...shared, authenticator, maxQueryCharacters: config.maxQueryCharacters }),
    models: (filter = {}) => catalog.list({ category: filter.category, markup: config.markup }),
    invalidateKey,
    on: (listener) => events.subscribe(listener),
    async close() {
      await admission.close();
      stopSweeping();
      await settler.close();
      await claims.close();
      await pools.close();
      events.flush();
    },
  };
}

function buildAuthentication(config: GatewayConfig): {
  authenticator: Authenticator;
  invalidateKey: CachedApiKeyStore['invalidate'];
} {
  const { apiKeys, authenticate, clock, logger } = config;
  if (authenticate !== undefined)
    return { authenticator: hookAuthenticator(authenticate, logger), invalidateKey: () => undefined };
  if (apiKeys === undefined) throw new Error('parseGatewayOptions demands apiKeys or authenticate');
  const store = cachedApiKeys(apiKeys, {
    maxKeys: config.keyCacheMaxKeys,
    maxAgeMs: config.keyCacheMaxAgeMs,
    timeoutMs: config.ledgerTimeoutMs,
    clock,
  });
  return {
    authenticator: storeAuthenticator({ store, clock, logger }),
    invalidateKey: (hash) => {
      store.invalidate(hash);
    },
  };
}

function buildUpstreamPools(config: GatewayConfig): UpstreamPools {
  const { clock, maxUpstreamBytes, connectTimeoutMs, maxConnectionsPerProvider: maxConnectionsPerOrigin } = config;
  return createUpstreamPools({ clock, maxUpstreamBytes, connectTimeoutMs, maxConnectionsPerOrigin });
}

function buildClaims(config: GatewayConfig, events: EventStream): Claims {
  const { idempotency, ledger, ledgerTimeoutMs, idempotencyKeepMs, clock, logger } = config;
  const own = idempotency ?? ledger.idempotency ?? memoryIdempotency();
  const store = guardIdempotency(own, { timeoutMs: ledgerTimeoutMs, clock });
  return createClaims({ store, keepMs: idempotencyKeepMs, clock, events, logger });
}

function markups({ markup, organizationMarkups }: GatewayConfig): (organizationId: string) => bigint {
  const own = new Map(Object.entries(organizationMarkups));
  return (organizationId) => own.get(organizationId) ?? markup;
}

/** Ends holds left behind by processes that died, every so often, for as long as the gateway lives. */
function sweepHolds({
  ledger,
  config,
  events,
}: {
  ledger: Ledger;
  config: GatewayConfig;
  events: EventStream;
}): () => void {
  const { clock, logger, expireHoldsEveryMs, expiryPolicy } = config;
  let cancel = (): void => undefined;
  let stopped = false;

  async function sweep(): Promise<void> {
    try {
      const count = await ledger.expireHolds(clock.now(), expiryPolicy);
      if (count > 0) events.emit({ type: 'holds_expired', atMs: clock.now(), count });
    } catch (error) {
      logger.warn({ error }, 'the ledger could not expire holds');
    }
  }

  function schedule(): void {
    if (stopped) return;
    cancel = clock.schedule(expireHoldsEveryMs, () => void sweep().then(schedule), 'background');
  }

  if (expireHoldsEveryMs > 0) schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
