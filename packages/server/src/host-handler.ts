import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MountableGateway } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import type { LedgerState } from './ledger-probe.js';

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
  return async (request, response) => {
    const path = pathOf(request);
    if (deps.admin !== null && (path === ADMIN || path.startsWith(`${ADMIN}/`))) {
      const target = (request.url ?? '').slice(ADMIN.length);
      if (await handleNode(deps.admin, { req: request, res: response, target })) return;
    }
    const health = await healthAt(path, deps);
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
  readonly body: { readonly status: string; readonly reason?: string };
}

interface HealthDeps {
  readonly isClosing: () => boolean;
  readonly probeLedger: () => Promise<LedgerState>;
}

/**
 * Answers health checks. `/healthz` is for process supervisors: the process responds, also during shutdown. `/readyz` is for load balancers: the ledger
 * answers, and the service is not shutting down.
 *
 * @returns `undefined` for every other path.
 */
async function healthAt(path: string, { isClosing, probeLedger }: HealthDeps): Promise<Health | undefined> {
  if (path === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (path !== '/readyz') return undefined;
  if (isClosing()) return notReady('shutting_down');
  const state = await probeLedger();
  return state === 'reachable' ? { status: 200, body: { status: 'ready' } } : notReady(state);
}

function notReady(reason: string): Health {
  return { status: 503, body: { status: 'not_ready', reason } };
}
