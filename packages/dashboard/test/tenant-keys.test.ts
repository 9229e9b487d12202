import { describe, expect, it } from 'vitest';
import { openStage, removePages, type Stage, type User } from './stage.js';

removePages();

const LIST = '/api/v1/organizations/acme/tenant-keys';
const OWN = `${LIST}/handbook`;
const KEY = 'vendor-key-of-acme-9f3a';
const ROW = { provider: 'handbook', last_characters: '9f3a', created_at: '2026-11-21T12:00:00.000Z' };

/** Checks for every answer that no key is in it. */
async function stageOf(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = openStage(options);
  for (const id of ['acme', 'globex']) await stage.administration.organizations.create({ id });
  const call: Stage['call'] = async (...given) => {
    const reply = await stage.call(...given);
    expect(JSON.stringify([reply, stage.logged])).not.toContain('vendor-key');
    return reply;
  };
  return { ...stage, call };
}

const put = ({ call }: Stage, path = OWN, json: object = { api_key: KEY }, user: User = 'operator') =>
  call(user, 'PUT', path, { json });

describe('own keys at providers', () => {
  it('are set, replaced, listed and deleted, and never shown', async () => {
    const stage = await stageOf();
    expect((await put(stage)).json).toEqual(ROW);
    await stage.clock.advance(60_000);
    const replaced = { ...ROW, last_characters: '', created_at: '2026-11-21T12:01:00.000Z' };
    expect((await put(stage, OWN, { api_key: 'short' })).json).toEqual(replaced);
    const listed = await stage.call('acmeViewer', 'GET', LIST);
    expect(listed.json).toEqual({ data: [replaced], next_cursor: null });
    const bare = { 'content-type': undefined as never };
    expect((await stage.call('operator', 'DELETE', OWN, { headers: bare })).json).toEqual(replaced);
    expect((await stage.call('operator', 'DELETE', OWN, { json: {} })).status).toBe(404);
    expect((await stage.call('acmeViewer', 'GET', LIST)).json.data).toEqual([]);
  });

  it.each([
    [{}, 'api_key'],
    [{ api_key: '' }, 'api_key'],
    [{ api_key: 'vendor-key 9f3a' }, 'api_key'],
    [{ api_key: 'vendor-key\n' }, 'api_key'],
    [{ api_key: 'vendor-key-ä' }, 'api_key'],
    [{ api_key: 'vendor-key'.repeat(1_000) }, 'api_key'],
    [{ api_key: ['vendor-key'] }, 'api_key'],
    [{ api_key: KEY, fee: '0' }, 'fee'],
    [[KEY], null],
  ])('refuse %j, naming the field alone', async (json, field) => {
    const stage = await stageOf();
    const refused = await put(stage, OWN, json);
    expect([refused.status, refused.json.error.field]).toEqual([400, field]);
    expect((await stage.call('operator', 'GET', LIST)).json.data).toEqual([]);
  });

  it('refuse a body that is no JSON, and a provider that is not known', async () => {
    const stage = await stageOf();
    expect((await stage.call('operator', 'PUT', OWN, { text: `{"api_key":"${KEY}` })).status).toBe(400);
    for (const path of [`${LIST}/handbok`, `${LIST}/`, `${LIST}/%E0`]) {
      const refused = await put(stage, path);
      expect([path, refused.status, refused.json.error.field]).toEqual([path, 400, 'provider']);
    }
  });

  it('are of the own organizations alone', async () => {
    const stage = await stageOf();
    expect((await put(stage, OWN, { api_key: KEY }, 'acmeOperator')).status).toBe(200);
    expect((await stage.call('acmeOperator', 'GET', LIST)).json.data).toEqual([ROW]);
    for (const id of ['globex', 'nobody']) {
      const path = OWN.replace('acme', id);
      for (const user of id === 'globex' ? (['acmeOperator'] as const) : (['acmeOperator', 'operator'] as const)) {
        expect((await put(stage, path, { api_key: KEY }, user)).status).toBe(404);
        expect((await stage.call(user, 'DELETE', path, { json: {} })).status).toBe(404);
        expect((await stage.call(user, 'GET', path.replace('/handbook', ''))).status).toBe(404);
      }
    }
    expect((await stage.call('globexViewer', 'GET', LIST)).status).toBe(404);
    expect((await stage.call('acmeOperator', 'DELETE', OWN, { json: {} })).json).toEqual(ROW);
  });

  it('are changed by the page and by scripts of operators alone', async () => {
    const stage = await stageOf();
    for (const method of ['PUT', 'DELETE']) {
      const status = async (user: User | null, headers: Record<string, string>) =>
        (await stage.call(user, method, OWN, { json: method === 'PUT' ? { api_key: KEY } : {}, headers })).status;
      expect(await status('viewer', {})).toBe(403);
      expect(await status('acmeViewer', {})).toBe(403);
      expect(await status(null, {})).toBe(404);
      expect(await status('operator', { 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await status('operator', { 'content-type': 'text/plain' })).toBe(415);
      expect(await status('acmeOperator', { 'sec-fetch-site': '', authorization: 'Bearer x' })).toBe(200);
    }
    expect((await stage.call('operator', 'POST', OWN, { json: {} })).headers['allow']).toBe('PUT, DELETE');
  });

  it('are a 404 that says why where the host has no vault, and the session says so too', async () => {
    const administration = { ...openStage().administration, tenantKeys: null };
    const stage = await stageOf({ administration });
    expect((await stage.call('operator', 'GET', '/api/v1/session')).json.has_tenant_keys).toBe(false);
    for (const [method, path] of [
      ['GET', LIST],
      ['PUT', OWN],
      ['DELETE', OWN],
    ] as const) {
      const { status, json } = await stage.call('operator', method, path, {
        json: method === 'PUT' ? { api_key: KEY } : {},
      });
      expect([status, json.error.message]).toEqual([404, expect.stringContaining('the host has no store')]);
    }
    expect((await (await stageOf()).call('viewer', 'GET', '/api/v1/session')).json.has_tenant_keys).toBe(true);
  });
});
