import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { handleNode, stripMountPath } from '@searchgate/core/node';
import { fakeProvider } from '@searchgate/testing';

export const API_KEY = 'sg_openapi_0123456789abcdef';

const ANSWER = {
  text: 'In May 2021 [1].',
  citations: [{ url: 'https://example.org/zephyr', title: 'Zephyr Bridge', snippet: 'Opened…' }],
};

export interface MountedGateway {
  /** With the mount path, without a trailing slash. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** A gateway below a path of a loopback server, with one model and one fixed answer. */
export async function mountedGateway(prefix: string, endpoints: GatewayOptions['endpoints']): Promise<MountedGateway> {
  const gateway = createGateway({
    providers: [fakeProvider({ id: 'handbook', price: '0.001', replies: [ANSWER] })],
    ledger: memoryLedger({ credits: { acme: '1' } }),
    apiKeys: memoryApiKeys([{ apiKey: API_KEY, label: 'demo', organizationId: 'acme' }]),
    endpoints,
  });
  const strip = stripMountPath(prefix);
  const server = createServer((req, res) => {
    void handleNode(gateway, { req, res, target: strip(req.url ?? '') }).then((isServed) => {
      if (!isServed) res.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    async close() {
      await gateway.close();
      await stop(server);
    },
  };
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
