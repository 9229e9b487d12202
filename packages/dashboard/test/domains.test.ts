import { expect, it } from 'vitest';
import { openStage, removePages, type Stage, type User } from './stage.js';

removePages();

const ONLY = { only: ['Example.org', 'bücher.example'] };
const STORED = { only: ['example.org', 'xn--bcher-kva.example'] };
const NEVER = { never: ['example.com'] };
const UPDATE = '/api/v1/organizations/acme/update';

const post = ({ call }: Stage, path: string, json: object, user: User = 'operator') =>
  call(user, 'POST', path, { json });
const ofAcme = async ({ call }: Stage) => (await call('viewer', 'GET', '/api/v1/organizations/acme')).json;

it('shows and sets the domains of an organization, for those alone who see all organizations', async () => {
  const stage = openStage();
  const made = await post(stage, '/api/v1/organizations', { id: 'acme', domains: NEVER });
  expect(made.json.domains).toEqual(NEVER);
  expect((await post(stage, UPDATE, { domains: ONLY })).json.domains).toEqual(STORED);
  for (const [path, json] of [
    [UPDATE, { domains: null }],
    [UPDATE, { name: 'Acme', domains: NEVER }],
    ['/api/v1/organizations', { id: 'acme', domains: NEVER }],
  ] as const) {
    const refused = await post(stage, path, json, 'acmeOperator');
    expect([refused.status, refused.json.error.field]).toEqual([403, 'domains']);
  }
  expect(await ofAcme(stage)).toMatchObject({ name: null, domains: STORED });
  expect((await post(stage, UPDATE, { name: 'Acme' }, 'acmeOperator')).json.domains).toEqual(STORED);
  expect((await post(stage, UPDATE, { domains: null })).json.domains).toBeNull();
  const { json } = await stage.call('viewer', 'GET', '/api/v1/openapi.json');
  const { schema } = json.paths['/organizations/{id}/update'].post.requestBody.content['application/json'];
  expect(schema.properties.domains.description).toMatch(/^Needs the right to see all organizations/);
});

it('shows, sets, copies and removes the domains of a key, which stand in the CSV too', async () => {
  const stage = openStage();
  const key = { organization_id: 'acme', label: 'ci', domains: ONLY };
  const made = await post(stage, '/api/v1/keys', key, 'acmeOperator');
  expect(made.json.key.domains).toEqual(STORED);
  const path = `/api/v1/keys/${made.json.key.id}`;
  expect((await post(stage, `${path}/rotate`, {})).json.key.domains).toEqual(STORED);
  expect((await post(stage, `${path}/update`, { domains: NEVER }, 'acmeOperator')).json.domains).toEqual(NEVER);
  expect((await stage.call('acmeViewer', 'GET', path)).json.domains).toEqual(NEVER);
  expect((await stage.call('viewer', 'GET', '/api/v1/keys.csv')).text).toContain('"{""never"":[""example.com""]}"');
  expect((await post(stage, `${path}/update`, { domains: null })).json.domains).toBeNull();
});

const REFUSED = [
  {},
  'example.org',
  { only: [] },
  { ...ONLY, ...NEVER },
  { only: ['https://a.example'] },
  { never: [7] },
];

it.each(REFUSED)('refuses %j, naming the field', async (domains) => {
  const stage = openStage();
  const made = await post(stage, '/api/v1/organizations', { id: 'acme' });
  for (const [path, rest] of [
    [UPDATE, { name: 'Acme' }],
    ['/api/v1/keys', { organization_id: 'acme', label: 'new' }],
  ] as const) {
    const { status, json } = await post(stage, path, { ...rest, domains });
    expect([path, status, json.error.field.split('.')[0]]).toEqual([path, 400, 'domains']);
  }
  expect(await ofAcme(stage)).toEqual(made.json);
});
