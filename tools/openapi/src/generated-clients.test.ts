import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import type { OpenApiDocument } from '@searchgate/core/openapi';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, type MountedGateway, mountedGateway } from './mounted-gateway.js';

/** Generating and compiling take about 4 s, longer on a busy machine. */
const SLOW_COMPILER_MS = 60_000;

/** A user's code on top of the generated client. */
const USES = {
  'with-openapi-fetch.ts': `
    import createClient from 'openapi-fetch';
    import type { components, paths } from './schema.js';
    export async function ask(baseUrl: string, apiKey: string) {
      const client = createClient<paths, 'application/json'>({ baseUrl, headers: { authorization: \`Bearer \${apiKey}\` } });
      const { data } = await client.POST('/api/v1/answer', { body: { model: 'handbook/answer', query: 'When?' } });
      const answer: components['schemas']['Answer'] | undefined = data;
      const { error } = await client.POST('/api/v1/answer', { body: { model: 'handbook/answers', query: 'When?' } });
      const reason = error?.error.reason;
      const suggestions = error?.error.reason === 'model_not_found' ? error.error.metadata.suggestions : [];
      const models = await client.GET('/api/v1/models', { params: { query: { category: 'answer' } } });
      return { text: answer?.answer, cost: answer?.usage.cost, reason, suggestions, models: models.data?.data.map(({ id }) => id) };
    }`,
  'with-hey-api.ts': `
    import { createClient } from './hey-api/client/index.js';
    import { answer as post, listModels } from './hey-api/index.js';
    export async function ask(baseUrl: string, apiKey: string) {
      const client = createClient({ baseUrl, auth: apiKey });
      const { data } = await post({ client, body: { model: 'handbook/answer', query: 'When?' } });
      const { error } = await post({ client, body: { model: 'handbook/answers', query: 'When?' } });
      const reason = error?.error.reason;
      const suggestions = error?.error.reason === 'model_not_found' ? error.error.metadata.suggestions : [];
      const models = await listModels({ client, query: { category: 'answer' } });
      return { text: data?.answer, cost: data?.usage.cost, reason, suggestions, models: models.data?.data.map(({ id }) => id) };
    }`,
};

let gateway: MountedGateway;
let folder: string;
let problems: readonly string[];

beforeAll(async () => {
  gateway = await mountedGateway('/search', { openapi: true });
  // Outside of node_modules, where the compiler neither checks nor writes.
  const ignored = join(import.meta.dirname, '..', 'dist');
  mkdirSync(ignored, { recursive: true });
  folder = mkdtempSync(join(ignored, 'clients-'));
  const response = await fetch(`${gateway.baseUrl}/api/v1/openapi.json`);
  await generate((await response.json()) as OpenApiDocument);
  problems = compile();
}, SLOW_COMPILER_MS);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.close();
});

async function generate(document: OpenApiDocument): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const types = await openapiTS(JSON.stringify(document));
  writeFileSync(join(folder, 'schema.ts'), astToString(types));
  await createClient({
    input: { ...document },
    output: { path: join(folder, 'hey-api') },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
  for (const [name, code] of Object.entries(USES)) writeFileSync(join(folder, name), code);
}

/** Compiles all files as a user would. @returns the compiler's messages. */
function compile(): readonly string[] {
  const program = ts.createProgram(
    Object.keys(USES).map((name) => join(folder, name)),
    {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
      skipLibCheck: true,
    },
  );
  program.emit();
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const place = file === undefined ? '' : relative(folder, file.fileName);
    return `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

it('compile', () => {
  expect(problems).toEqual([]);
});

it.each(Object.keys(USES))('answer a question and read a typed error: %s', async (name) => {
  const file = join(folder, name.replace('.ts', '.js'));
  const { ask } = (await import(file)) as { ask(baseUrl: string, apiKey: string): Promise<unknown> };
  expect(await ask(gateway.baseUrl, API_KEY)).toEqual({
    text: 'In May 2021 [1].',
    cost: 0.001,
    reason: 'model_not_found',
    suggestions: ['handbook/answer'],
    models: ['handbook/answer'],
  });
});
