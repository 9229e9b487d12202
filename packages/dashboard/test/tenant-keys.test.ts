import type { Administration } from '@searchgate/core/administration';
import { describe, expect, it } from 'vitest';
import { openStage, removePages, type Stage } from './stage.js';

removePages();

const LIST = '/api/v1/organizations/acme/tenant-keys';
const OWN = `${LIST}/handbook`;
const KEY = 'vendor-key-of-acme-9f3a';
const ROW = { provider: 'handbook', last_characters: '9f3a', created_at: '2026-11-21T12:00:00.000Z' };

/** Checks for every answer that no key is in it. */
async function stageOf(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = openStage(options);
  await stage.administration.organizations.create({ id: 'acme' });
  const call: Stage['call'] = async (...given) => {
    const reply = await stage.call(...given);
    expect(JSON.stringify([reply, stage.logged])).not.toContain('vendor-key');
    return reply;
  };
  return { ...stage, call };
}

const put = ({ call }: Stage, path = OWN, json: object = { api_key: KEY }) => call('operator', 'PUT', path, { json });

describe('own keys at providers', () => {
  it('are set, replaced, listed and deleted, and never shown', async () => {
    const stage = await stageOf();
    expect((await put(stage)).json).toEqual(ROW);
    await stage.clock.advance(60_000);
    const replaced = { ...ROW, last_characters: '', created_at: '2026-11-21T12:01:00.000Z' };
    expect((await put(stage, OWN, { api_key: 'short' })).json).toEqual(replaced);
    expect((await stage.call('acmeViewer', 'GET', LIST)).json).toEqual({ data: [replaced], next_cursor: null });
    expect((await stage.call('acmeViewer', 'GET', OWN)).json).toEqual(replaced);
    expect((await stage.call('globexViewer', 'GET', OWN)).status).toBe(404);
    const bare = { 'content-type': undefined as never };
    expect((await stage.call('operator', 'DELETE', OWN, { headers: bare })).json).toEqual(replaced);
    expect((await stage.call('operator', 'DELETE', OWN, { json: {} })).status).toBe(404);
    expect((await stage.call('acmeViewer', 'GET', LIST)).json.data).toEqual([]);
  });

  it.each([
    [{}, 'api_key'],
    [{ api_key: '' }, 'api_key'],
    [{ api_key: 'vendor-key 9f3a' }, 'api_key'],
    [{ api_key: 'vendor-key-ä\n' }, 'api_key'],
    [{ api_key: 'vendor-key'.repeat(1_000) }, 'api_key'],
    [{ api_key: ['vendor-key'] }, 'api_key'],
    [{ api_key: KEY, fee: '0' }, 'fee'],
    [[KEY], null],
  ])('refuse body %#, naming the field alone', async (json, field) => {
    const stage = await stageOf();
    const refused = await put(stage, OWN, json);
    expect([refused.status, refused.json.error.field]).toEqual([400, field]);
    expect((await stage.call('operator', 'GET', LIST)).json.data).toEqual([]);
  });

  it('are managed by a tenant, who changes nothing else and reaches no other organization', async () => {
    const stage = await stageOf();
    await stage.administration.organizations.create({ id: 'globex' });
    const json = { api_key: KEY };
    expect((await stage.call('acmeTenant', 'PUT', OWN, { json })).json).toEqual(ROW);
    expect((await stage.call('acmeTenant', 'GET', LIST)).json.data).toEqual([ROW]);
    expect((await stage.call('acmeTenant', 'DELETE', OWN, { json: {} })).status).toBe(200);
    const foreign = OWN.replace('acme', 'globex');
    expect((await stage.call('acmeTenant', 'PUT', foreign, { json })).status).toBe(404);
    for (const [path, change] of [
      ['/api/v1/organizations/acme/grant', { amount: '1.00', grant_id: 'self' }],
      ['/api/v1/organizations/acme/update', { operator_pays: true }],
      ['/api/v1/keys', { organization_id: 'acme', label: 'x' }],
    ] as const)
      expect((await stage.call('acmeTenant', 'POST', path, { json: change })).status).toBe(403);
  });

  it('refuse a body that is no JSON, and a provider that is not known', async () => {
    const stage = await stageOf();
    expect((await stage.call('operator', 'PUT', OWN, { text: `{"api_key":"${KEY}` })).status).toBe(400);
    for (const path of [`${LIST}/handbok`, `${LIST}/`, `${LIST}/%E0`]) {
      const refused = await put(stage, path);
      expect([path, refused.status, refused.json.error.field]).toEqual([path, 400, 'provider']);
    }
  });

  it('are a 404 that says why where the host has no vault, and the session says so too', async () => {
    const administration: Administration = {
      ...openStage().administration,
      tenantKeys: null,
      as: () => administration,
    };
    const { call } = await stageOf({ administration });
    for (const [method, path, json] of [
      ['GET', LIST, {}],
      ['PUT', OWN, { api_key: KEY }],
      ['DELETE', OWN, {}],
    ] as const) {
      const { status, json: refused } = await call('operator', method, path, { json });
      expect([status, refused.error.message]).toEqual([404, expect.stringContaining('keeps no provider keys')]);
    }
    expect((await call('operator', 'GET', '/api/v1/session')).json.tenant_key_providers).toBeNull();
  });
});
