import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway, MountableGateway } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { ledgerProbe } from './ledger-probe.js';

/** Serves one exchange of node:http. Never rejects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HostDeps extends HealthDeps {
  /** The text of a document that the service serves itself, by path. */
  readonly page: (path: string) => string | undefined;
  /** Mounted at `/admin`; `null` for none. */
  readonly admin: MountableGateway | null;
}

const ADMIN = '/admin';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Serves all other requests: health checks, the page for operators, the service's own documents, and 404 for the rest. */
export function hostHandler(deps: HostDeps): NodeHandler {
  const { gateway } = deps;
  const probe = ledgerProbe(async () => {
    if (downStores(await gateway.checkStores()).some(isNeeded)) throw new Error('a store is down');
  });
  return async (request, response) => {
    const path = pathOf(request);
    if (deps.admin !== null && (path === ADMIN || path.startsWith(`${ADMIN}/`))) {
      const target = (request.url ?? '').slice(ADMIN.length);
      if (await handleNode(deps.admin, { req: request, res: response, target })) return;
    }
    const health = await healthAt(path, { ...deps, probe });
    const page = deps.page(path);
    if (health !== undefined) {
      response.setHeader('Cache-Control', 'no-store');
      send(response, health.status, { type: JSON_TYPE, text: JSON.stringify(health.body) });
    } else if (page !== undefined) send(response, 200, { type: 'text/markdown; charset=utf-8', text: page });
    else send(response, 404, { type: JSON_TYPE, text: '{"error":"There is nothing at this path."}' });
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? url;
}

function send(response: ServerResponse, status: number, { type, text }: { type: string; text: string }): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}

/** The JSON response of a health check, never cached. */
interface Health {
  readonly status: 200 | 503;
  readonly body: { readonly status: string; readonly reason?: string; readonly down?: readonly string[] };
}

interface HealthDeps {
  readonly isClosing: () => boolean;
  readonly gateway: Pick<Gateway, 'status' | 'checkStores'>;
}

/** The names of stores that are down. */
function downStores(stores: Awaited<ReturnType<Gateway['checkStores']>>): string[] {
  return stores.filter(({ downSinceMs }) => downSinceMs !== null).map(({ id }) => id);
}

/** Calls are served without the request log, so that it takes no instance from its balancer. */
function isNeeded(store: string): boolean {
  return store !== 'request_log';
}

/**
 * Answers health checks. `/healthz` is for process supervisors: the process responds, also during shutdown. `/readyz` is for load balancers: the ledger
 * and the other stores that calls need answer and take what is written, and the service is not shutting down.
 *
 * @returns `undefined` for every other path.
 */
async function healthAt(
  path: string,
  { isClosing, gateway, probe }: HealthDeps & { probe: ReturnType<typeof ledgerProbe> },
): Promise<Health | undefined> {
  if (path === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (path !== '/readyz') return undefined;
  if (isClosing()) return { status: 503, body: { status: 'not_ready', reason: 'shutting_down' } };
  const state = await probe();
  const down = downStores(gateway.status().stores);
  const named = down.length > 0 && { down };
  if (state === 'reachable') return { status: 200, body: { status: 'ready', ...named } };
  return { status: 503, body: { status: 'not_ready', reason: state, ...named } };
}
