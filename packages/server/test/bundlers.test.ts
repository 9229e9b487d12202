import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './kit/spawn-server.js';

/** A host that asks itself one question. */
const HOST = `
  import { createServer } from 'node:http';
  import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
  import { closeServer, handleNode } from '@searchgate/core/node';
  import { exa } from '@searchgate/core/providers';

  const gateway = createGateway({
    providers: [exa({ apiKey: 'a-key-of-exa' })],
    ledger: memoryLedger(),
    apiKeys: memoryApiKeys([]),
  });
  const server = createServer((req, res) => void handleNode(gateway, { req, res }));
  server.listen(0, '127.0.0.1', async () => {
    const response = await fetch('http://127.0.0.1:' + server.address().port + '/api/v1/models');
    console.log((await response.json()).error.reason);
    await closeServer(server, gateway.close());
  });
`;
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/hosts/bundlers.md'), 'utf8');

/** Bundles the host with its imports and runs it. @returns its output. */
async function run(format: 'cjs' | 'esm', options: BuildOptions = {}): Promise<string> {
  const outfile = join(temporaryFolder(), format === 'cjs' ? 'server.cjs' : 'server.mjs');
  await build({
    stdin: { contents: HOST, resolveDir: import.meta.dirname },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    conditions: ['@searchgate/source'],
    format,
    ...options,
  });
  return (await promisify(execFile)(process.execPath, [outfile])).stdout.trim();
}

// docs/hosts/bundlers.md
describe('a host that esbuild has bundled', () => {
  it('serves as CommonJS', async () => {
    expect(await run('cjs')).toBe('missing_api_key');
  });

  it('serves as an ES module with the banner of the page, and only with that', async () => {
    const [, js = ''] = /--banner:js="(.*)"/.exec(PAGE) ?? [];
    expect(await run('esm', { banner: { js } })).toBe('missing_api_key');
    const [, error = ''] = /`(Dynamic require of .*?)`/.exec(PAGE) ?? [];
    await expect(run('esm')).rejects.toThrow(error);
  });
});
