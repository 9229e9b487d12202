import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayRouter } from '@searchgate/express';
import { build } from 'esbuild';
import express from 'express';
import { afterEach, expect, it, vi } from 'vitest';
import { KEY, listen, OUTCOME, PROVIDER, startGateway } from './stage.js';

const PACKAGE = join(import.meta.dirname, '..');
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const EXAMPLES = [...README.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs an example of the README against a gateway. @returns the printed values. */
async function printed(example: string): Promise<unknown[][]> {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  vi.stubEnv('SEARCHGATE_API_KEY', KEY);
  const baseUrl = `${await listen(express().use('/search', gatewayRouter(startGateway().gateway)))}/search`;
  const contents = example.replace('https://api.example.com/search', baseUrl).replaceAll('exa/', `${PROVIDER}/`);
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: PACKAGE },
    alias: { '@searchgate/client': join(PACKAGE, 'src/index.ts') },
    bundle: true,
    format: 'esm',
    write: false,
  });
  await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
  return log.mock.calls;
}

it('has examples that run as described', async () => {
  expect(EXAMPLES).toHaveLength(3);
  const [answer = '', stream = '', errors = ''] = EXAMPLES;
  expect(await printed(answer)).toEqual([[OUTCOME.text, 1, 0.01]]);
  vi.restoreAllMocks();
  expect(await printed(stream)).toEqual([['Thirty'], [' days [1].'], [0.01]]);
  vi.restoreAllMocks();
  expect(await printed(errors)).toEqual([['Did you mean', [expect.stringContaining('answer')]]]);
});
