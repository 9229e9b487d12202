import { createServer, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type AuthenticatedRequest, createGateway, type Gateway, memoryLedger, toFetchHandler } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import { exa } from '../src/providers/index.js';

const gateways: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

/** A gateway that records the `host` given to `authenticate`. */
function watching<Host>(): { gateway: Gateway<Host>; hosts: (Host | undefined)[] } {
  const hosts: (Host | undefined)[] = [];
  const gateway = createGateway({
    providers: [exa({ apiKey: 'unused' })],
    ledger: memoryLedger({ credits: { acme: '1' } }),
    authenticate(_token, { host }: AuthenticatedRequest<Host>) {
      hosts.push(host);
      return { id: 'ada', organizationId: 'acme' };
    },
  });
  gateways.push(gateway);
  return { gateway, hosts };
}

it('gives authenticate the request of node:http', async () => {
  const { gateway, hosts } = watching<IncomingMessage>();
  const requests: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    requests.push(req);
    void handleNode(gateway, { req, res });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/key`);
  expect(response.status).toBe(200);
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  expect(hosts).toHaveLength(1);
  expect(hosts[0]).toBeInstanceOf(IncomingMessage);
  expect(hosts[0]).toBe(requests[0]);
});

it('gives authenticate the Web Request', async () => {
  const { gateway, hosts } = watching<Request>();
  const request = new Request('https://example.org/search/api/v1/key');
  expect((await toFetchHandler(gateway, { prefix: '/search' })(request)).status).toBe(200);
  expect(hosts).toEqual([request]);
  expect(hosts[0]).toBe(request);
});

it('gives authenticate no request for calls in process', async () => {
  const { gateway, hosts } = watching<Request>();
  await gateway.key({ apiKey: 'a-token' });
  expect(hosts).toEqual([undefined]);
});

it('type-checks the mount: any host without authenticate, else only hosts with its request', () => {
  const { gateway: plain } = watching();
  const { gateway: web } = watching<Request>();
  const anywhere = (call: Parameters<typeof handleNode>[1]) => [toFetchHandler(plain), handleNode(plain, call)];
  // @ts-expect-error -- its authenticate would find no Web Request here
  const elsewhere = (call: Parameters<typeof handleNode>[1]) => handleNode(web, call);
  // @ts-expect-error -- its authenticate wants a request that `unknown` does not promise
  const lost: Gateway = web;
  expect([anywhere, elsewhere, lost]).toHaveLength(3);
});
