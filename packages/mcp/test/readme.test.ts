import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gateway } from '@searchgate/core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { connect, HOSTS } from './hosts.js';
import { KEY, MODEL, startGateway } from './mounted-gateway.js';

// Inside the package, so that the imports of the code resolve.
const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.cache-readme-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function load(document: string, language: string, name: string): Promise<unknown> {
  const text = readFileSync(join(import.meta.dirname, document), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, found]) => found === language);
  const file = join(folder, name);
  writeFileSync(file, blocks.at(0)?.[2] ?? '');
  return import(file);
}

describe('the code that the documents show', () => {
  it('in the README makes a gateway that agents can ask', async () => {
    vi.stubEnv('EXA_API_KEY', 'unused');
    const { gateway } = (await load('../README.md', 'ts', 'readme.ts')) as { gateway: Gateway };
    const mounted = await HOSTS['a fetch handler']!(gateway);
    const client = await connect(mounted, 'change-me-to-a-long-secret');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_answer', 'search', 'fetch', 'list_models']);
    expect(await client.callTool({ name: 'list_models' })).toMatchObject({
      structuredContent: { models: expect.arrayContaining([expect.objectContaining({ id: 'exa/answer' })]) },
    });
    await client.close();
    await mounted.close();
  });

  it('in docs/clients/mcp.md asks a gateway', async () => {
    type Search = (query: string, options: { url: string; apiKey: string; model: string }) => Promise<unknown>;
    const { search } = (await load('../../../docs/clients/mcp.md', 'js', 'agent.mjs')) as { search: Search };
    const { gateway } = startGateway();
    const mounted = await HOSTS['Express']!(gateway);
    const options = { url: `${mounted.url}/api/v1/mcp`, apiKey: KEY, model: MODEL };
    expect(await search('How much leave?', options)).toMatchObject({ structuredContent: { model: MODEL, cost: 0.01 } });
    await mounted.close();
  });
});
