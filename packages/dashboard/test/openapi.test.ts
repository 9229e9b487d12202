import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createGenerator, type Definition } from 'ts-json-schema-generator';
import { describe, expect, it } from 'vitest';
import { MODEL, openStage, removePages } from './stage.js';

removePages();

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

it('describes the answers by their types', { timeout: 60_000 }, async () => {
  const generator = createGenerator({
    path: at('../src/api/contract.ts'),
    tsconfig: at('../../../tsconfig.base.json'),
    type: '*',
    skipTypeCheck: true,
  });
  const { definitions = {} } = generator.createSchema('*');
  const lines = Object.entries(definitions)
    .filter(([name]) => /^\w+$/.test(name))
    .map(([name, schema]) => `${JSON.stringify(name)}: ${textOf(schema)}`);
  // With -u this writes the file.
  await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot('../src/api/contract.schema.json');
});

function textOf(schema: Definition | boolean): string {
  return JSON.stringify(schema).replaceAll('#/definitions/', '#/components/schemas/');
}

describe('the document', () => {
  it('describes the answer to every read as it is', async () => {
    const { call, administration } = openStage();
    await administration.organizations.create({ id: 'acme' });
    const { key } = await administration.apiKeys.create({ organizationId: 'acme', label: 'ci', limit: '5' });
    await administration.budgets.set('acme', { id: 'team:research', limit: '200.00', limitReset: 'monthly' });
    await call('operator', 'PUT', '/api/v1/organizations/acme/tenant-keys/handbook', { json: { api_key: 'k' } });
    await call('operator', 'POST', '/api/v1/ask/answer', { json: { model: MODEL, query: 'When?' } });
    const { json } = await call('viewer', 'GET', '/api/v1/openapi.json');
    const validator = new Ajv2020({ strict: false });
    const queries: Record<string, string> = { '/usage': 'by=model', '/statistics': `since=2026-11-21T00:00:00Z` };
    const ids: Record<string, string> = { organizations: 'acme', keys: key.id };
    const reads = Object.entries<{ get?: { responses: object } }>(json.paths).filter(([, { get }]) => get);
    expect(reads.length).toBeGreaterThan(12);
    for (const [path, { get }] of reads) {
      if (path.endsWith('.csv') || path.startsWith('/requests/{id}')) continue;
      const id = ids[path.split('/')[1] ?? ''] ?? '';
      const named = path.replace('{id}', id).replace('{budget}', 'team:research').replace('{provider}', 'handbook');
      const answer = await call('operator', 'GET', `/api/v1${named}`, { query: queries[path] ?? '' });
      expect([path, answer.status]).toEqual([path, 200]);
      const { schema } = (get as Described).responses[200].content['application/json'];
      const isValid = validator.compile({ ...schema, components: json.components });
      expect([path, isValid(answer.json), isValid.errors]).toEqual([path, true, null]);
    }
  });
});

interface Described {
  readonly responses: { readonly 200: { readonly content: Record<'application/json', { readonly schema: object }> } };
}
