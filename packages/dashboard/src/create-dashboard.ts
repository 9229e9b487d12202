import {
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  isLedgerError,
  type Logger,
  type ModelEntry,
  type MountableGateway,
} from '@searchgate/core';
import { createUnsentReplies } from '@searchgate/core/administration';
import { type Clock, throttledLogger } from '@searchgate/core/ledger';
import { type AskDeps, askRoutes, canAsk } from './api/ask.js';
import { budgetRoutes } from './api/budgets.js';
import { changeRoutes } from './api/changes.js';
import type { Model, Session } from './api/contract.js';
import { BODY_LIMITS, json, problemResponse, type Routes, respond, within } from './api/exchange.js';
import { watchHealth } from './api/health.js';
import { keyRoutes } from './api/keys.js';
import { openApiRoute } from './api/openapi.js';
import { organizationRoutes } from './api/organizations.js';
import { Problem, problemOf } from './api/problem.js';
import { canReadTexts } from './api/request-texts.js';
import { requestRoutes } from './api/requests.js';
import { isRead, notAllowed, patternOf, serveRoute, tooLate } from './api/serve-route.js';
import { statisticsRoutes } from './api/statistics.js';
import { tenantKeyRoutes } from './api/tenant-keys.js';
import { usageRoutes } from './api/usage.js';
import { snakeName, toWire } from './api/wire-names.js';
import { type DashboardOptions, parseDashboardOptions } from './dashboard-options.js';
import { type PageFiles, pageReader } from './page-files.js';
import { readPermission, type Scope } from './scope.js';

const processWarnings: Logger = { warn: emit, error: emit };

function emit(fields: Record<string, unknown>, message: string): void {
  const { error } = fields;
  const detail = error instanceof Error ? { detail: error.stack ?? error.message } : {};
  process.emitWarning(message, { code: 'SEARCHGATE', ...detail });
}

/** The host's logger, or process warnings. Errors of the logger are dropped: there is no other place to report them. */
function hostLogger(logger: Logger = processWarnings): Logger {
  const safely =
    (level: keyof Logger): Logger['error'] =>
    (fields, message) => {
      try {
        logger[level](fields, message);
      } catch {
        // See above.
      }
    };
  return { warn: safely('warn'), error: safely('error') };
}

interface SessionDeps extends Pick<AskDeps, 'administration' | 'house'> {
  readonly answerUrl: string | null;
  readonly logoutUrl: string | null;
  readonly gateway: Pick<Gateway, 'models' | 'status'>;
}

/** The session of the user, and the list of models. */
function sessionRoutes({ gateway, administration, house, answerUrl, logoutUrl }: SessionDeps): Routes {
  const { hasKeyRegistry: hasKeys, requests, changes, tenantKeys } = administration;
  return {
    'api/v1/session': {
      GET({ scope }) {
        const { role, organizations, actor } = scope;
        const can = {
          hasKeys,
          hasRequests: requests !== null,
          hasChanges: changes !== null,
          tenantKeyProviders: tenantKeys?.providers ?? null,
          canReadTexts: canReadTexts(scope, gateway),
          canAsk: canAsk(scope, house),
        };
        const session: Session = toWire({ role, organizations, actor, ...can, answerUrl, logoutUrl });
        return json(session);
      },
    },
    'api/v1/models': {
      GET: () => json({ data: gateway.models({ callable: true }).map(modelOf), next_cursor: null }),
    },
  };
}

function modelOf(entry: ModelEntry): Model {
  const { id, name, category, provider, features, policies, options = [] } = entry;
  return { id, name, category, provider, features, policies, options: options.map(snakeName), price: priceOf(entry) };
}

const DYNAMIC = '-1';

function priceOf({ pricing, free, includedResults, resultStep }: ModelEntry): string {
  if (free) return 'free';
  const { request, perMillionInputTokens, perMillionOutputTokens, perSearch, perResult, perPage } = pricing;
  const { perSearchUnit, perMillionTokens } = pricing;
  const beyond = includedResults ? `a result beyond ${includedResults}` : 'a result';
  const isDynamic = request === DYNAMIC;
  const rates = [
    [isDynamic ? undefined : request, 'a call'],
    [perMillionInputTokens, 'per 1M input tokens'],
    [perMillionOutputTokens, 'per 1M output tokens'],
    [perSearch, 'a search'],
    [perResult, (resultStep ?? 1) > 1 ? `${beyond} in steps of ${resultStep}` : beyond],
    [perPage, 'a page with text'],
    [perSearchUnit, 'per 100 documents'],
    [perMillionTokens, 'per 1M tokens'],
  ].flatMap(([price, unit]) => (price === undefined ? [] : [`$${price} ${unit}`]));
  return [...(isDynamic ? ['depends on use'] : []), rates.join(', ')].filter(Boolean).join(': ');
}

/** Mounted like a gateway, with any adapter, under any path. @typeParam Host the framework's own request. */
export interface Dashboard<Host = unknown> extends MountableGateway<Host> {
  /** Stops listening to the gateway. Every path is a 404 then. */
  close(): void;
}

const AUTHORIZE_TIMEOUT_MS = 10_000;
/** A quarter of the most that waits for users who do not read it. */
const MAX_UNSENT_BYTES = 8_388_608;

/** Without permission, paths of the page look like any other unknown path. */
const NOTHING: GatewayResponse = { status: 404, headers: { 'content-length': '0' }, body: '' };
const BROKEN: GatewayResponse = { ...NOTHING, status: 500 };

/** @param pageFolder the built page. Default: the folder in the package. */
export function buildDashboard<Host>(options: DashboardOptions<Host>, pageFolder?: string): Dashboard<Host> {
  const {
    gateway,
    administration,
    house,
    answerUrl = null,
    logoutUrl = null,
    clock,
    ...rest
  } = parseDashboardOptions(options);
  const readings = hostLogger(rest.logger);
  const logger = throttledLogger(readings, clock);
  const health = watchHealth({ gateway, administration, clock, logger });
  const routes: Routes = {
    ...sessionRoutes({ gateway, administration, house, answerUrl, logoutUrl }),
    ...organizationRoutes(administration),
    ...(administration.hasKeyRegistry ? { ...keyRoutes(administration), ...budgetRoutes(administration) } : {}),
    ...tenantKeyRoutes(administration),
    ...usageRoutes(administration),
    ...requestRoutes({ gateway, administration, readings }),
    ...changeRoutes(administration),
    ...statisticsRoutes(administration),
    ...health.routes,
    ...askRoutes({ gateway, administration, house }),
  };
  const allRoutes = { ...routes, ...openApiRoute(routes) };
  const unsubscribe = gateway.on(health.record);
  const authorize = authorizer(options.authorize, clock);
  const respondTo = responder({ routes: allRoutes, readPage: pageReader(pageFolder), clock, logger });
  const replies = createUnsentReplies({ clock, maxBytes: MAX_UNSENT_BYTES });
  let isClosed = false;

  async function answer(request: GatewayRequest<Host>): Promise<GatewayResponse> {
    let scope: Scope | null;
    request.holdBody?.(BODY_LIMITS.maxBodyBytes);
    try {
      scope = await authorize(request);
    } catch (error) {
      logger.error({ error }, 'the dashboard could not find out who may see it');
      return BROKEN;
    }
    return scope === null ? NOTHING : respondTo(request, scope);
  }

  return {
    async handle(request) {
      if (isClosed) return NOTHING;
      const reply = replies.open();
      reply.end(null);
      request.follow?.(reply);
      const response = await answer(request);
      return request.method === 'HEAD' ? { ...response, body: null } : response;
    },
    close() {
      isClosed = true;
      unsubscribe();
      health.close();
    },
  };
}

/** Asks the host for the user's permission. */
function authorizer<Host>(ask: DashboardOptions<Host>['authorize'], clock: Clock) {
  const asked = async (request: GatewayRequest<Host>) => {
    const { method, path, clientAddress, host } = request;
    return ask({ method, path, clientAddress, host, header: (name) => request.header(name) });
  };
  return async (request: GatewayRequest<Host>): Promise<Scope | null> => {
    const permission = await within(asked(request), AUTHORIZE_TIMEOUT_MS, clock);
    if (permission === 'late') throw new Error(`authorize did not answer within ${AUTHORIZE_TIMEOUT_MS} ms`);
    return readPermission(permission);
  };
}

interface ResponderDeps {
  readonly routes: Routes;
  readonly readPage: () => Promise<PageFiles>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Serves a permitted user. Refusals are shown, failures are only logged. */
function responder({ routes, readPage, clock, logger }: ResponderDeps) {
  async function serveFile(request: GatewayRequest): Promise<GatewayResponse> {
    const location = missingSlash(request);
    const file = location === undefined ? (await readPage()).get(request.path) : respond(307, '', { location });
    if (file === undefined) return NOTHING;
    return isRead(request.method) ? file : notAllowed('GET, HEAD');
  }

  return async (request: GatewayRequest, scope: Scope): Promise<GatewayResponse> => {
    const { pattern, ...ids } = patternOf(request.path);
    const route = Object.hasOwn(routes, pattern) ? routes[pattern] : undefined;
    try {
      return await (route === undefined ? serveFile(request) : serveRoute(route, { request, scope, ...ids, clock }));
    } catch (error) {
      const problem = isTimeout(error) ? tooLate(request) : problemOf(error, isRead(request.method) ? 'query' : 'body');
      if (problem !== undefined) return problemResponse(problem);
      logger.error({ error }, 'the dashboard could not answer a request');
      return problemResponse(new Problem(503, 'This did not work. The log of the server says why.'));
    }
  };
}

function isTimeout(error: unknown): boolean {
  return isLedgerError(error) && error.reason === 'ledger_timeout';
}

/**
 * The redirect for a request of the mount path without a trailing slash: the URLs of the page are relative to the slash. Adapters strip the mount
 * path, so it is read from the host's request: `originalUrl` in Express and Koa, else `url`.
 *
 * @returns a relative reference, which works behind any proxy; `undefined` if the slash is there.
 */
export function missingSlash({ path, query, host }: GatewayRequest): string | undefined {
  if (path !== '' && path !== '/') return undefined;
  const { originalUrl, url } = (host ?? {}) as { readonly originalUrl?: unknown; readonly url?: unknown };
  const target = originalUrl ?? url;
  if (typeof target !== 'string') return undefined;
  const [mountPath = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  if (mountPath === '' || mountPath.endsWith('/')) return undefined;
  return `./${mountPath.slice(mountPath.lastIndexOf('/') + 1)}/${query === '' ? '' : `?${query}`}`;
}
