import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MountableGateway } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { type HealthDeps, healthAt } from './health.js';

/** Serves one exchange of node:http. Never rejects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HostDeps extends HealthDeps {
  /** The text of a document the service shows itself, by path. */
  readonly page: (path: string) => string | undefined;
  /** Mounted at `/admin`; `null` for none. */
  readonly admin: MountableGateway | null;
}

const ADMIN = '/admin';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Serves what is not the gateway's: health checks, the page for operators, the documents where the service shows them itself, and 404 for all else. */
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
