import { describe, expect, it } from 'vitest';
import { openStage, removePages, type Stage, type User } from './stage.js';

removePages();

const ONLY = { only: ['Example.org', 'bücher.example'] };
const STORED = { only: ['example.org', 'xn--bcher-kva.example'] };
const NEVER = { never: ['example.com'] };
const UPDATE = '/api/v1/organizations/acme/update';

async function stageOf(): Promise<Stage> {
  const stage = openStage();
  for (const id of ['acme', 'globex']) await stage.administration.organizations.create({ id });
  return stage;
}

const post = ({ call }: Stage, path: string, json: object, user: User = 'operator') =>
  call(user, 'POST', path, { json });

describe('domains', () => {
  it('of an organization are set, shown, kept by other changes, and removed', async () => {
    const stage = await stageOf();
    const read = async () => (await stage.call('viewer', 'GET', '/api/v1/organizations/acme')).json.domains;
    expect(await read()).toBeNull();
    expect((await post(stage, UPDATE, { domains: ONLY })).json.domains).toEqual(STORED);
    await post(stage, UPDATE, { max_concurrent: 4 });
    expect(await read()).toEqual(STORED);
    expect((await post(stage, UPDATE, { domains: null })).json.domains).toBeNull();
    const made = await post(stage, '/api/v1/organizations', { id: 'initech', domains: NEVER });
    expect(made.json.domains).toEqual(NEVER);
  });

  it('of a key are set, shown, changed, copied and removed, and stand in the CSV', async () => {
    const stage = await stageOf();
    const made = await post(
      stage,
      '/api/v1/keys',
      { organization_id: 'acme', label: 'ci', domains: ONLY },
      'acmeOperator',
    );
    expect(made.json.key.domains).toEqual(STORED);
    const path = `/api/v1/keys/${made.json.key.id}`;
    expect((await post(stage, `${path}/rotate`, {})).json.key.domains).toEqual(STORED);
    expect((await post(stage, `${path}/update`, { domains: NEVER }, 'acmeOperator')).json.domains).toEqual(NEVER);
    expect((await stage.call('acmeViewer', 'GET', path)).json.domains).toEqual(NEVER);
    expect((await stage.call('viewer', 'GET', '/api/v1/keys.csv')).text).toContain('"{""never"":[""example.com""]}"');
    expect((await post(stage, `${path}/update`, { domains: null })).json.domains).toBeNull();
  });

  it('of an organization are not for those who see some organizations alone', async () => {
    const stage = await stageOf();
    await post(stage, UPDATE, { domains: ONLY });
    for (const [path, json] of [
      [UPDATE, { domains: null }],
      [UPDATE, { name: 'Acme', domains: NEVER }],
      ['/api/v1/organizations', { id: 'acme', domains: NEVER }],
    ] as const) {
      const refused = await post(stage, path, json, 'acmeOperator');
      expect([refused.status, refused.json.error.field]).toEqual([403, 'domains']);
    }
    const { json } = await stage.call('acmeOperator', 'GET', '/api/v1/organizations/acme');
    expect([json.name, json.domains]).toEqual([null, STORED]);
    expect((await post(stage, UPDATE, { name: 'Acme' }, 'acmeOperator')).json.domains).toEqual(STORED);
    const { json: document } = await stage.call('viewer', 'GET', '/api/v1/openapi.json');
    const { schema } = document.paths['/organizations/{id}/update'].post.requestBody.content['application/json'];
    expect(schema.properties.domains.description).toMatch(/^Needs the right to see all organizations/);
  });

  it.each([
    [{}],
    [[]],
    ['example.org'],
    [{ only: [] }],
    [{ only: 'example.org' }],
    [{ only: ['example.org'], never: ['example.com'] }],
    [{ only: ['https://example.org'] }],
    [{ never: ['localhost'] }],
    [{ never: ['*.example.org'] }],
    [{ never: [7] }],
    [{ never: Array.from({ length: 1_001 }, (_, at) => `site-${at}.example`) }],
  ])('are refused as %j, naming the field', async (domains) => {
    const stage = await stageOf();
    const { key } = await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'ci' });
    for (const [path, rest] of [
      [UPDATE, {}],
      ['/api/v1/organizations', { id: 'new' }],
      [`/api/v1/keys/${key.id}/update`, {}],
      ['/api/v1/keys', { organization_id: 'acme', label: 'new' }],
    ] as const) {
      const { status, json } = await post(stage, path, { ...rest, domains });
      expect([path, status, json.error.field?.split('.')[0]]).toEqual([path, 400, 'domains']);
    }
    expect((await stage.call('operator', 'GET', '/api/v1/organizations/acme')).json.domains).toBeNull();
  });
});
