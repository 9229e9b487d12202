import { expect, it } from 'vitest';
import { delivered, MODEL, openStage, removePages } from './stage.js';

removePages();

const ofHost = () => openStage({}, false);

it('reports that keys cannot be managed', async () => {
  expect((await ofHost().call('operator', 'GET', '/api/v1/session')).json).toMatchObject({ has_keys: false });
  expect((await openStage().call('operator', 'GET', '/api/v1/session')).json).toMatchObject({ has_keys: true });
});

it('shows organizations and keys of the host by spending, to permitted users only', async () => {
  const stage = ofHost();
  const apiKey = { id: 'user-7', organizationId: 'acme' };
  await stage.gateway.answer({ apiKey, model: MODEL, query: 'When?' });
  await delivered();
  const { json } = await stage.call('viewer', 'GET', '/api/v1/organizations');
  expect(json.next_cursor).toBeNull();
  expect(json.data.map(({ id, usage }: { id: string; usage: string }) => [id, usage])).toEqual([
    ['acme', '0.01'],
    ['globex', '0'],
    ['house', '0'],
  ]);
  const keys = await stage.call('acmeViewer', 'GET', '/api/v1/usage', { query: 'by=key&organization=acme' });
  expect(keys.json.data).toContainEqual(expect.objectContaining({ group: 'user-7', charged: '0.01' }));
  expect(await stage.call('acmeViewer', 'GET', '/api/v1/usage', { query: 'by=day&key=user-7' })).toMatchObject({
    status: 200,
  });
  expect(await stage.call('globexViewer', 'GET', '/api/v1/usage', { query: 'by=day&key=user-7' })).toMatchObject({
    status: 404,
  });
  expect(await stage.call('globexViewer', 'GET', '/api/v1/organizations/acme')).toMatchObject({ status: 404 });
});

it('grants credits to an organization without usage', async () => {
  const stage = ofHost();
  const grant = { amount: '25.00', grant_id: 'payment-1' };
  const granted = await stage.call('operator', 'POST', '/api/v1/organizations/customer-1/grant', { json: grant });
  expect(granted).toMatchObject({
    status: 200,
    json: { id: 'customer-1', created_at: null, credits: '25', balance: '25' },
  });
  expect(await stage.call('viewer', 'POST', '/api/v1/organizations/customer-1/grant', { json: grant })).toMatchObject({
    status: 403,
  });
});

it('lets an operator ask at the cost of the house', async () => {
  const stage = ofHost();
  const asked = await stage.call('operator', 'POST', '/api/v1/ask/answer', { json: { model: MODEL, query: 'When?' } });
  expect(asked.status).toBe(200);
  await delivered();
  expect((await stage.call('operator', 'GET', '/api/v1/organizations/house')).json).toMatchObject({ usage: '0.01' });
});

it.each([
  ['GET', '/api/v1/keys', 404],
  ['POST', '/api/v1/keys', 404],
  ['POST', '/api/v1/keys/user-7/update', 404],
  ['POST', '/api/v1/keys/user-7/revoke', 404],
  ['POST', '/api/v1/keys/user-7/rotate', 404],
  ['POST', '/api/v1/organizations', 405],
  ['POST', '/api/v1/organizations/acme/update', 404],
  ['POST', '/api/v1/organizations/acme/suspend', 404],
  ['POST', '/api/v1/organizations/acme/resume', 404],
])('offers no %s %s, which could never work', async (method, path, status) => {
  const stage = ofHost();
  expect(await stage.call('operator', method, path, method === 'POST' ? { json: {} } : {})).toMatchObject({ status });
  expect(stage.logged).toEqual([]);
});
