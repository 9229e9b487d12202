import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const CHECK_EVERY_MS = 500;

/** A balancer that pins nobody and tries no call twice. */
export interface RoundRobin {
  readonly url: string;
  /** Adds an instance, and waits until it gets calls. */
  add(url: string): Promise<void>;
  /** Calls passed on, by the URL of the instance. */
  readonly passed: ReadonlyMap<string, number>;
}

/** Starts a balancer that asks each instance for `/readyz` every 500 ms, and sends calls in turn to those that are ready. */
export async function startRoundRobin(): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Map<string, boolean>();
  const passed = new Map<string, number>();
  let turn = 0;

  async function check(url: string): Promise<void> {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer === undefined) ready.delete(url);
    else ready.set(url, answer.status === 200);
  }

  const server = createServer((request, response) => {
    const isReady = [...ready].filter(([, is]) => is).map(([url]) => url);
    // If no instance is ready, all get calls, as with most balancers.
    const instances = isReady.length > 0 ? isReady : [...ready.keys()];
    const instance = instances[(turn += 1) % instances.length] ?? '';
    passed.set(instance, (passed.get(instance) ?? 0) + 1);
    const { method, headers } = request;
    const onward = httpRequest(instance + (request.url ?? ''), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', (error) => response.writeHead(502).end(error.message));
    request.pipe(onward);
  });
  // As balancers do, it keeps idle connections longer than its callers.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(() => void Promise.all([...ready.keys()].map(check)), CHECK_EVERY_MS);
  onTestFinished(() => {
    clearInterval(timer);
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, add: check, passed };
}
