import { type Alerts, type AlertsDeps, createAlerts } from './admin/create-alerts.js';
import { type GatewayStatus, readStatus } from './admin/gateway-status.js';
import { recordRequests } from './admin/record-requests.js';
import { identityOfHost } from './auth/authenticator.js';
import { buildAuthentication } from './auth/build-authentication.js';
import type { KeyIdentity } from './auth/key-identity.js';
import { createEventStream, type EventListener, type EventStream } from './base/events/events.js';
import { throttledLogger } from './base/events/logger.js';
import { Tracing } from './base/events/tracing.js';
import { checkStores, PROBE, type StoreStatus, type StoreWatches, watchStore } from './base/events/watch-store.js';
import { createIdSource, type IdSource } from './base/ids.js';
import { parseOptions } from './base/options/parse-options.js';
import { policiesSchema } from './base/options/policies.js';
import { createDeadlines } from './base/time/deadline.js';
import { eraseCached } from './call/answer-cache.js';
import { buildAttempting } from './call/build-attempting.js';
import { createCallerAdmission } from './call/caller-admission.js';
import { callerLimits } from './call/caller-limits.js';
import { createIdempotencyRecords } from './call/idempotency-records.js';
import { createIndeterminateHolds } from './call/indeterminate-holds.js';
import { createOwnKeys } from './call/own-keys.js';
import { createRateLimitCache } from './call/rate-limit-cache.js';
import { buildAnswering, planAnswer, runAnswer } from './call/run-answer.js';
import { createSettler } from './call/settler.js';
import { buildCatalog, type Catalog, type ProvidedModel } from './catalog/catalog.js';
import type { Category, ModelEntry, ModelRow } from './catalog/model-entry.js';
import type { GatewayOptions } from './gateway-options.js';
import { DEFAULTS, type GatewayConfig, parseGatewayOptions } from './gateway-schema.js';
import type { HandlerDeps, ModelsQuery } from './http/endpoint.js';
import { checkEndpointModels } from './http/endpoint-models.js';
import { ANSWER_PATH, type EndpointOptions, fieldLimitsOf } from './http/endpoint-options.js';
import type { MountableGateway } from './http/gateway-request.js';
import { createRequestHandler } from './http/handle-request.js';
import type { OpenApiOptions } from './http/openapi/open-api-document.js';
import { KIND_LIST } from './kinds/kinds.js';
import { leastQuote } from './kinds/least-quote.js';
import { partCall } from './kinds/part-call.js';
import type { IdempotencyStore } from './ledger/idempotency-store.js';
import type { Ledger } from './ledger/ledger.js';
import { memoryIdempotency } from './ledger/memory-idempotency.js';
import { storeWithTimeLimit, withTimeLimit } from './ledger/with-time-limit.js';
import type { SemaphoreLimits } from './limits/fair-shares.js';
import { createInFlightRequests, type InFlightRequests } from './limits/in-flight-requests.js';
import { createRefusedCalls } from './limits/refused-calls.js';
import type { Provider } from './provider-kit/provider.js';
import { limitsOfProviders } from './provider-kit/provider-limit-settings.js';
import { createAsyncAnswers } from './request/async-answers.js';
import { createCapture } from './request/capture-texts.js';
import { closeOnce } from './request/close-gateway.js';
import { createLocalApi, type LocalApi } from './request/local-api.js';
import { buildRoutes, leadsTo } from './routing/build-routes.js';
import { createLatencies } from './routing/latencies.js';
import { createUpstreamPools, type UpstreamPools } from './upstream/upstream-pools.js';

/**
 * The assembled gateway: build once, mount anywhere, close at the end.
 *
 * @typeParam Host the framework's own request, where `authenticate` reads it.
 */
export interface Gateway<Host = unknown> extends LocalApi, MountableGateway<Host> {
  /**
   * The same paths for callers the host vouches for: `request.host` is the {@link KeyIdentity}, and no key is read. For pages of the host itself, such as
   * `@searchgate/dashboard`; never for requests from outside whose caller is not known.
   */
  readonly handleAs: MountableGateway<KeyIdentity>['handle'];
  /** Every model that can be called or is listed, as `GET /models` shows them without organization markups. */
  models(filter?: ModelsQuery): readonly ModelEntry[];
  /** Makes a change to a key take effect in this process at once. @param hash lower-case hex SHA-256 of the bearer token. */
  invalidateKey(hash: string): void;
  /** Makes a change to a vendor key of an organization take effect in this process at once, not within a minute. */
  invalidateTenantKey(organizationId: string, providerId: string): void;
  /** Erases the replies of an organization: those of idempotency keys, and asynchronous and cached answers, as far as the stores can. @returns how many. */
  eraseReplies(organizationId: string): Promise<number>;
  /** Subscribes to the event stream. @returns a function that unsubscribes. */
  on(listener: EventListener): () => void;
  /** What it is doing at this moment. Reads counters alone: it may be called as often as one likes, also after `close`. */
  status(): GatewayStatus;
  /**
   * Tells which stores answer and take what is written: for readiness checks. Writes a little into the ledger and the idempotency store, at most once in 5 s
   * however often it is called. Waits for `ledgerTimeoutMs` at most. Never rejects.
   */
  checkStores(): Promise<readonly StoreStatus[]>;
  /**
   * Refuses new calls (503 `shutting_down`), waits for those under way, ends holds and claims that could not be ended before, frees sockets
   * and timers. Calls that are still under way after `drainTimeoutMs` are ended: their attempts are cut off, their holds released,
   * and they get 503 `shutting_down`. Resolves within `drainTimeoutMs` and three times `ledgerTimeoutMs`, whatever hooks,
   * providers and the ledger do. The ledger stays open: it is the host's.
   */
  close(): Promise<void>;
}

/**
 * Builds a gateway. Does no I/O; the first request opens the first connection.
 *
 * @throws ConfigurationError listing every wrong option with its path, what was found and what was expected.
 */
export function createGateway<Host = unknown>(options: GatewayOptions<Host>): Gateway<Host> {
  return assembleGateway(options, {});
}

/** Chance, which tests replace. */
export interface ChanceSources {
  /** From 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
  /** Default: ULIDs. */
  readonly newId?: IdSource;
}

/** Builds a gateway whose chance is given. */
export function assembleGateway<Host>(
  options: GatewayOptions<Host>,
  { random = () => Math.random(), newId = createIdSource() }: ChanceSources,
): Gateway<Host> {
  const parsed = parseGatewayOptions(options);
  const { clock } = parsed;
  const logger = throttledLogger(parsed.logger, clock);
  const config = { ...parsed, logger };
  const events = createEventStream(logger);
  const watches: StoreWatches = { clock, logger, events, all: [] };
  if (config.onEvent !== undefined) events.subscribe(config.onEvent);
  const { paths, catalog } = buildModels(config);
  const ledger = watchedLedger(config, watches);
  const store = watchedIdempotency(config, watches);
  const claims = createIdempotencyRecords({ store, keepMs: config.idempotencyTtlMs, clock, events, logger });
  const markupOf = markups(config);
  const alerts = buildAlerts(config, { ledger, store, events, newId, catalog, markupOf });
  const { authenticator, invalidateKey } = buildAuthentication({ ...config, watches });
  const admission = buildAdmission(config);
  const settler = createSettler({ ledger, clock, events, logger, charged: alerts.charged });
  const indeterminateHolds = createIndeterminateHolds({ ledger, clock, logger });
  const { capture, stopLogging } = startLogging(config, { events, watches });
  const pools = buildUpstreamPools(config);
  const latencies = createLatencies({ clock, random });
  const deadlines = createDeadlines(clock);
  const limits = { limits: limitsOfProviders(config.providers), slots: answerSlots(config) };
  const openUpstream: UpstreamPools['open'] = (deadline, provider) => pools.open(deadline, provider);
  const attempting = buildAttempting({ config, random, limits, openUpstream, latencies, deadlines, events });
  const routes = buildRoutes(catalog, { ...config, paths });
  checkEndpointModels(routes, config.endpoints);
  const limitsOf = callerLimits(config);
  const refusals = createRateLimitCache(clock);
  const callers = createCallerAdmission({ ledger, refusals, logger, limitsOf });
  const holding = { ledger, logger, refusals, indeterminateHolds, limitsOf, budgetRefused: alerts.refused };
  const ownKeys = createOwnKeys(config);
  const parts = { holding, attempting, settler, latencies, events, markupOf, ownKeys, routes, partCall };
  const answering = buildAnswering({ ...config, newId }, parts);
  const answers = { plan: planAnswer.bind(null, { ...config, routes }), run: runAnswer.bind(null, answering) };
  const tracing = config.tracer && new Tracing(config.tracer, logger);
  const calls = { answers, claims, callers, limitsOf, capture };
  const shared = { admission, ledger, clock, newId, events, tracing, logger, ...calls };
  const stopSweeping = sweepHolds(config, ledger, events);
  const ending = { settler, indeterminateHolds, claims, alerts, pools, events, watches, stopLogging, stopSweeping };
  const handling: Omit<HandlerDeps, 'authenticate'> = {
    ...shared,
    limits: config,
    refusedCalls: createRefusedCalls(clock),
    endpoints: config.endpoints,
    asyncAnswers: createAsyncAnswers({ ...shared, charged: alerts.charged }),
    paths,
    streams: { keepAliveMs: config.streamKeepAliveMs, maxBufferedBytes: config.maxUpstreamBytes },
    describeApi: (server) => describeApi({ ...config, server }, paths),
    listModels: (query, organizationId) => catalog.list({ ...query, markup: markupOf(organizationId) }),
    feesOf: ownKeys?.feesOf,
  };
  let handleAs: Gateway['handleAs'] | undefined;

  return {
    handle: createRequestHandler({ ...handling, authenticate: (request) => authenticator.byRequest(request) }),
    // Made when it is first needed: most hosts have no use for it.
    handleAs: (request) => (handleAs ??= createRequestHandler({ ...handling, authenticate: byHost(logger) }))(request),
    ...createLocalApi({ ...shared, authenticator, ...formsOf(config) }),
    models: ({ category, callable } = {}) => catalog.list({ category, callable, markup: config.markup }),
    invalidateKey,
    invalidateTenantKey: (id, provider) => ownKeys?.invalidate(id, provider),
    on: (listener) => events.subscribe(listener),
    status: () => readStatus({ ...config, ...attempting, admission, settler, watches }),
    checkStores: () => checkStores(watches),
    eraseReplies: async (id) => (await eraseCached(id, config.cache?.store)) + (await claims.erase(id)),
    close: closeOnce({ ...ending, routes, admission, deadlines, config, limits: attempting.limits }),
  };
}

/** The models, and the paths that serve them. */
function buildModels(config: GatewayConfig) {
  const provided = config.providers.flatMap(modelsOf);
  const paths = pathsOf(config, provided);
  const isOpen = (category: Category) => paths.has(category);
  const { models: overrides, clock } = config;
  return { paths, catalog: buildCatalog({ provided, overrides, clock, isOpen, leadsTo: leadsTo(config) }) };
}

/** Takes the caller from the request itself, where the host has put it. */
function byHost(logger: GatewayConfig['logger']): HandlerDeps['authenticate'] {
  return async ({ host }) => identityOfHost(host as KeyIdentity, logger);
}

/** The module is loaded when it is first needed: a gateway starts without it. */
async function describeApi(config: OpenApiOptions, paths: ReadonlyMap<Category, string>): Promise<string> {
  const { openApiDocument } = await import('./http/openapi/open-api-document.js');
  const closed: EndpointOptions = Object.fromEntries(
    KIND_LIST.filter(([, { category }]) => !paths.has(category)).map(([name]) => [name, false]),
  );
  return JSON.stringify(openApiDocument({ ...config, endpoints: { ...config.endpoints, ...closed } }));
}

/**
 * The models of all ports. An answer model streams only where its provider's adapter can.
 *
 * @throws ConfigurationError for wrong policies, because anyone can write a provider.
 */
function modelsOf(provider: Provider): readonly ProvidedModel[] {
  const { id, policies: given = [], models, answer } = provider;
  const policies = [...new Set(parseOptions(policiesSchema, given, `${id}.policies`))];
  const served = (model: ModelRow): ModelRow =>
    answer?.stream !== undefined || !model.features.includes('streaming')
      ? model
      : { ...model, features: model.features.filter((feature) => feature !== 'streaming') };
  const of = (category: Category, rows: readonly ModelRow[] = []) =>
    rows.map((model): ProvidedModel => ({ provider: id, policies, category, model }));
  const ofKinds = KIND_LIST.flatMap(([, { category, port }]) => of(category, provider[port]?.models));
  return [...of('answer', models.map(served)), ...ofKinds];
}

function formsOf({ endpoints, maxQueryCharacters }: GatewayConfig) {
  const forms = KIND_LIST.map(([name]) => [name, fieldLimitsOf(endpoints[name], maxQueryCharacters)]);
  return { maxQueryCharacters, forms: Object.fromEntries(forms) as Parameters<typeof createLocalApi>[0]['forms'] };
}

/** The paths that serve models: that of answers always, the others where there are models and the host does not want the path. */
function pathsOf({ endpoints }: GatewayConfig, provided: readonly ProvidedModel[]): ReadonlyMap<Category, string> {
  const paths = new Map<Category, string>([['answer', ANSWER_PATH]]);
  for (const [name, kind] of KIND_LIST) {
    const hasModels = provided.some(({ category }) => category === kind.category);
    if (hasModels && endpoints[name] !== false) paths.set(kind.category, kind.paths[0]);
  }
  return paths;
}

function buildAdmission(config: GatewayConfig): InFlightRequests {
  const { maxBodyReads, maxBodyReadsPerKey, maxUpstreamBytes, clock } = config;
  return createInFlightRequests({
    answers: answerSlots(config),
    bodyReads: { total: maxBodyReads, perOrganization: maxBodyReadsPerKey ?? shareOf(maxBodyReads) },
    longBodyReads: { total: MAX_LONG_BODY_READS, perOrganization: shareOf(MAX_LONG_BODY_READS) },
    maxUnsentBytes: 4 * Math.max(maxUpstreamBytes, DEFAULTS.maxUpstreamBytes),
    clock,
  });
}

/** Bodies of texts are long: more of them at once would take more memory than all others. */
const MAX_LONG_BODY_READS = 256;

function answerSlots({ maxInFlight, maxInFlightPerKey }: GatewayConfig): SemaphoreLimits {
  return { total: maxInFlight, perOrganization: maxInFlightPerKey ?? shareOf(maxInFlight) };
}

function shareOf(total: number): number {
  return Math.max(1, Math.floor(total / 4));
}

function buildUpstreamPools(config: GatewayConfig): UpstreamPools {
  const { clock, maxUpstreamBytes, connectTimeoutMs, maxConnectionsPerProvider: maxConnectionsPerOrigin } = config;
  return createUpstreamPools({ clock, maxUpstreamBytes, connectTimeoutMs, maxConnectionsPerOrigin });
}

/** Where names are claimed, those of calls and those of alerts. */
function watchedIdempotency(config: GatewayConfig, watches: StoreWatches): IdempotencyStore {
  const { idempotency, ledger, ledgerTimeoutMs: timeoutMs, clock } = config;
  const own = idempotency ?? ledger.idempotency ?? memoryIdempotency();
  const name = { keyId: PROBE, idempotencyKey: PROBE, claimId: PROBE, fingerprint: '0'.repeat(64) };
  // The same claim of every process: each time it is extended.
  const probe = () => guarded.claim({ ...name, nowMs: clock.now(), expiresAtMs: clock.now() + PROBE_CLAIM_MS });
  const { ended } = watchStore('idempotency', probe, watches);
  const guarded = storeWithTimeLimit(own, { timeoutMs, clock, ended });
  return guarded;
}

const PROBE_CLAIM_MS = 60_000;

/** Writes calls into the request log, where the host wants one. */
function startLogging(config: GatewayConfig, { events, watches }: { events: EventStream; watches: StoreWatches }) {
  const { requestLog, clock, logger, ledgerTimeoutMs: timeoutMs } = config;
  if (requestLog === undefined) return { capture: undefined, stopLogging: () => Promise.resolve() };
  const { log, keepDays, maxRows } = requestLog;
  const keepTextsMs = requestLog.keepTextsDays * DAY_MS;
  // Its batches tell: they are tried until they are written.
  let failure: Error | null = null;
  const watch = watchStore('request_log', async () => (failure === null ? null : Promise.reject(failure)), watches);
  function wrote(error: Error | null): void {
    failure = error;
    watch.wrote(error);
  }
  const deps = { log, events, clock, logger, timeoutMs, wrote, keepMs: keepDays * DAY_MS, maxRows };
  const capture = requestLog.capture && createCapture(requestLog.capture);
  return { capture, stopLogging: recordRequests({ ...deps, textSource: capture, keepTextsMs }) };
}

const DAY_MS = 86_400_000;

function buildAlerts(config: GatewayConfig, { catalog, markupOf, ...parts }: AlertParts): Alerts {
  const { alerts, clock, logger, ledgerTimeoutMs: timeoutMs } = config;
  const leastPrice = (organizationId: string) =>
    leastQuote(catalog.runnable(), { organizationId, nowMs: clock.now(), markup: markupOf(organizationId) });
  return createAlerts({ ...parts, config: alerts, clock, logger, timeoutMs, leastPrice });
}

interface AlertParts extends Pick<AlertsDeps, 'ledger' | 'store' | 'events' | 'newId'> {
  readonly catalog: Catalog;
  markupOf(organizationId: string): bigint;
}

function watchedLedger({ ledger, ledgerTimeoutMs: timeoutMs, clock }: GatewayConfig, watches: StoreWatches): Ledger {
  // One row, which drains and may be forgotten.
  const rate = { keyRateLimit: PROBE_RATE, organizationRateLimit: null };
  const probe = () => guarded.admit({ organizationId: PROBE, keyId: PROBE, ...rate });
  const { ended, wrote } = watchStore('ledger', probe, watches);
  const guarded = withTimeLimit(ledger, { timeoutMs, clock, ended, wrote });
  return guarded;
}

/** More than all processes probe. */
const PROBE_RATE = { requests: 1_000_000, periodMs: 60_000 };

function markups({ markup, organizationMarkups }: GatewayConfig): (organizationId: string) => bigint {
  const own = new Map(Object.entries(organizationMarkups));
  return (organizationId) => own.get(organizationId) ?? markup;
}

/** Ends holds left behind by processes that died, every so often, for as long as the gateway lives. */
function sweepHolds(config: GatewayConfig, ledger: Ledger, events: EventStream): () => void {
  const { clock, logger, expireHoldsEveryMs } = config;
  let cancel = (): void => undefined;
  let stopped = false;

  async function sweep(): Promise<void> {
    try {
      const count = await ledger.expireHolds(clock.now());
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
