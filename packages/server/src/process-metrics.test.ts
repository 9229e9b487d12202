import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { serviceMetrics } from './process-metrics.js';

it('shows the gateway, the process and the version', async () => {
  const documents = [{ source: 'a', url: 'https://example.org/', markdown: '# A' }];
  const parts = { providers: [localDocs({ documents })], ledger: memoryLedger(), apiKeys: memoryApiKeys() };
  const gateway = createGateway(parts);
  const server = createServer(serviceMetrics(gateway).handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.close();
    await gateway.close();
  });
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } })).text();
  const build = `searchgate_build_info{version="${manifest.version}",node="${process.versions.node}"} 1`;
  for (const line of [build, '# TYPE process_resident_memory_bytes gauge', '# TYPE nodejs_eventloop_lag_seconds gauge'])
    expect(text.split('\n')).toContain(line);
  expect(text).toContain('searchgate_requests_in_flight');
});
