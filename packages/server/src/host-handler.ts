import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HealthDeps, healthAt } from './health.js';

/** Serves one exchange of node:http. Never rejects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HostDeps extends HealthDeps {
  /** The text of a document the service shows itself, by path. */
  readonly page: (path: string) => string | undefined;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Serves what is not the gateway's: health checks, the indexed documents where the service shows them itself, and 404 for all else. */
export function hostHandler(deps: HostDeps): NodeHandler {
  return async (request, response) => {
    const path = pathOf(request);
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
  const [path = '/'] = url.split('?', 1);
  return path;
}

function send(response: ServerResponse, status: number, { type, text }: { type: string; text: string }): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
