import { describe, expect, it } from 'vitest';
import { MODEL, openStage, removePages, type User } from './stage.js';

removePages();

/** Valid bodies of the changes. `:id` is a key of acme, `:foreign` a key of globex. */
const QUESTION = { model: MODEL, query: 'When?' };
const READING = { model: 'handbook/read', urls: ['https://example.org/'] };
const RANKING = { model: 'handbook/rank', query: 'leave', documents: ['Thirty days.'] };
const EMBEDDING = { model: 'handbook/embed', input: 'leave' };
const REFUND = { amount: '-0.5', note: 'refund', adjustment_id: 'a1' };
const LIMITS = { rate_limit: { requests: 60, period_ms: 60_000 }, max_concurrent: 4 };
const BUDGET = { limit: '5.00' };
const OWN_KEY = { api_key: 'k' };
const EXPECTED = ['viewer', 'operator', 'acmeViewer', 'acmeOperator'] as const satisfies readonly User[];

type Row = [method: string, path: string, json: object | null, statuses: readonly [number, number, number, number]];

/** Expected statuses, in the order of EXPECTED. Without permission all are 404. */
const TABLE: Row[] = [
  ['GET', '/', null, [200, 200, 200, 200]],
  ['HEAD', '/', null, [200, 200, 200, 200]],
  ['GET', '/assets/index-1a2b.js', null, [200, 200, 200, 200]],
  ['GET', '/assets/nothing.js', null, [404, 404, 404, 404]],
  ['GET', '/assets/../index.html', null, [404, 404, 404, 404]],
  ['GET', '/assets/%2e%2e/index.html', null, [404, 404, 404, 404]],
  ['GET', '/nothing', null, [404, 404, 404, 404]],
  ['GET', '/api', null, [404, 404, 404, 404]],
  ['GET', '/api/', null, [404, 404, 404, 404]],
  ['GET', '/api/v1/nothing', null, [404, 404, 404, 404]],
  ['GET', '/constructor', null, [404, 404, 404, 404]],
  ['OPTIONS', '/api/v1/keys', null, [405, 405, 405, 405]],
  ['DELETE', '/api/v1/keys', null, [405, 405, 405, 405]],
  ['POST', '/', {}, [405, 405, 405, 405]],
  ['POST', '/api/v1/session', {}, [405, 405, 405, 405]],
  ['GET', '/api/v1/session', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/models', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/health', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/changes', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/changes?organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/requests', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/requests?organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/requests.csv', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/requests.csv?organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/organizations', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/organizations/acme', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/organizations/globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/organizations/unknown', null, [404, 404, 404, 404]],
  ['GET', '/api/v1/organizations/%ff', null, [404, 404, 404, 404]],
  ['GET', '/api/v1/organizations/acme/grant', null, [405, 405, 405, 405]],
  ['POST', '/api/v1/organizations', { id: 'acme' }, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations', { id: 'initech' }, [403, 200, 403, 404]],
  ['POST', '/api/v1/organizations/acme/grant', { amount: '1', grant_id: 'g1' }, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations/globex/grant', { amount: '1', grant_id: 'g2' }, [403, 200, 403, 404]],
  ['POST', '/api/v1/organizations/unknown/grant', { amount: '1', grant_id: 'g3' }, [403, 404, 403, 404]],
  ['POST', '/api/v1/organizations/acme/update', LIMITS, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations/globex/update', LIMITS, [403, 200, 403, 404]],
  ['POST', '/api/v1/organizations/acme/adjust', REFUND, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations/globex/adjust', REFUND, [403, 200, 403, 404]],
  ['POST', '/api/v1/organizations/acme/erase', {}, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations/globex/erase', {}, [403, 200, 403, 404]],
  ['POST', '/api/v1/organizations/acme/suspend', {}, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations/globex/suspend', {}, [403, 200, 403, 404]],
  ['POST', '/api/v1/organizations/acme/resume', {}, [403, 200, 403, 200]],
  ['POST', '/api/v1/organizations/globex/resume', {}, [403, 200, 403, 404]],
  ...[BUDGET, OWN_KEY].flatMap((body): Row[] => {
    const ofPath = (id: string) => `/api/v1/organizations/${id}/${body === BUDGET ? 'budgets' : 'tenant-keys'}`;
    return [
      ['GET', ofPath('acme'), null, [200, 200, 200, 200]],
      ['GET', ofPath('globex'), null, [200, 200, 404, 404]],
      ['GET', ofPath('unknown'), null, [404, 404, 404, 404]],
      ['POST', `${ofPath('acme')}/handbook`, {}, [405, 405, 405, 405]],
      ['PUT', `${ofPath('acme')}/handbook`, body, [403, 200, 403, 200]],
      ['PUT', `${ofPath('globex')}/handbook`, body, [403, 200, 403, 404]],
      ['PUT', `${ofPath('unknown')}/handbook`, body, [403, 404, 403, 404]],
      ['DELETE', `${ofPath('acme')}/handbook`, {}, [403, 200, 403, 200]],
      ['DELETE', `${ofPath('globex')}/handbook`, {}, [403, 200, 403, 404]],
      ['DELETE', `${ofPath('unknown')}/handbook`, {}, [403, 404, 403, 404]],
    ];
  }),
  ['GET', '/api/v1/keys', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/keys?organization=acme', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/keys?organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/keys?sort=used&organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/keys.csv', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/keys.csv?organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/keys/:id', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/keys/:foreign', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/keys/sg_unknown', null, [404, 404, 404, 404]],
  ['POST', '/api/v1/keys', { organization_id: 'acme', label: 'new' }, [403, 200, 403, 200]],
  ['POST', '/api/v1/keys', { organization_id: 'globex', label: 'new' }, [403, 200, 403, 404]],
  ['POST', '/api/v1/keys/:id/update', { label: 'renamed' }, [403, 200, 403, 200]],
  ['POST', '/api/v1/keys/:foreign/update', { label: 'renamed' }, [403, 200, 403, 404]],
  ['POST', '/api/v1/keys/:id/rotate', {}, [403, 200, 403, 200]],
  ['POST', '/api/v1/keys/:foreign/rotate', {}, [403, 200, 403, 404]],
  ['POST', '/api/v1/keys/:id/revoke', {}, [403, 200, 403, 200]],
  ['POST', '/api/v1/keys/:foreign/revoke', {}, [403, 200, 403, 404]],
  ['POST', '/api/v1/keys/sg_unknown/revoke', {}, [403, 404, 403, 404]],
  ['GET', '/api/v1/usage?by=organization', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/usage?by=day&organization=acme', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/usage?by=day&organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/usage?by=day&key=:id', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/usage?by=day&key=:foreign', null, [200, 200, 404, 404]],
  ['GET', '/api/v1/usage.csv?by=model', null, [200, 200, 200, 200]],
  ['GET', '/api/v1/usage.csv?by=model&organization=globex', null, [200, 200, 404, 404]],
  ['POST', '/api/v1/ask/answer', QUESTION, [403, 200, 403, 404]],
  ['POST', '/api/v1/ask/search', { ...QUESTION, model: 'handbook/find' }, [403, 200, 403, 404]],
  ['POST', '/api/v1/ask/extract', READING, [403, 200, 403, 404]],
  ['POST', '/api/v1/ask/rerank', RANKING, [403, 200, 403, 404]],
  ['POST', '/api/v1/ask/embeddings', EMBEDDING, [403, 200, 403, 404]],
  ['POST', '/api/v1/ask/embedding', EMBEDDING, [403, 404, 403, 404]],
  ['POST', '/api/v1/ask/mcp', QUESTION, [403, 404, 403, 404]],
  ['POST', '/api/v1/ask/..', QUESTION, [403, 404, 403, 404]],
];

async function open() {
  const stage = openStage();
  const { apiKeys, budgets, tenantKeys } = stage.administration;
  const own = await apiKeys.create({ organizationId: 'acme', label: 'own' });
  const foreign = await apiKeys.create({ organizationId: 'globex', label: 'foreign' });
  for (const id of ['acme', 'globex']) {
    await budgets.set(id, { id: 'handbook', limit: '5.00' });
    await tenantKeys?.set(id, 'handbook', 'k');
  }
  const ask = (user: User | null, method: string, target: string, json: object | null, headers = {}) => {
    const [path = '', query = ''] = target.replace(':id', own.key.id).replace(':foreign', foreign.key.id).split('?');
    return stage.call(user, method, path, { query, headers, ...(json !== null && { json }) });
  };
  return { ...stage, ask };
}

describe.each(TABLE)('%s %s', (method, target, json, statuses) => {
  it('is a bare 404 without permission', async () => {
    const { ask } = await open();
    const nothing = { status: 404, headers: { 'content-length': '0' }, text: '' };
    expect(await ask(null, method, target, json)).toMatchObject(nothing);
    expect(await ask(null, 'GET', '/there/is/no/page', null)).toEqual(await ask(null, method, target, json));
  });

  it.each(EXPECTED.map((user, index) => [user, statuses[index]] as const))('gives %s %i', async (user, status) => {
    const { ask, logged } = await open();
    const response = await ask(user, method, target, json);
    expect([response.status, response.text.slice(0, status === 200 ? 0 : undefined)]).toEqual([
      status,
      expect.any(String),
    ]);
    expect(logged).toEqual([]);
  });
});

describe('a change', () => {
  const CHANGES = TABLE.filter(([method, , , statuses]) => !['GET', 'HEAD'].includes(method) && statuses[1] === 200);

  it.each(CHANGES)('%s %s is refused unless the page sends it', async (method, target, json) => {
    const { ask, ledger } = await open();
    const before = JSON.stringify(await ledger.entries(), (_key, value: unknown) => String(value));
    for (const site of ['cross-site', 'same-site', 'none', '']) {
      expect(await ask('operator', method, target, json, { 'sec-fetch-site': site })).toMatchObject({
        status: 403,
        json: { error: { message: expect.stringContaining('Sec-Fetch-Site') } },
      });
    }
    const basic = { 'sec-fetch-site': 'cross-site', authorization: 'Basic YWRhOngK' };
    expect(await ask('operator', method, target, json, basic)).toMatchObject({ status: 403 });
    const plain = { 'content-type': 'text/plain' };
    expect(await ask('operator', method, target, json, plain)).toMatchObject({ status: 415 });
    expect(JSON.stringify(await ledger.entries(), (_key, value: unknown) => String(value))).toBe(before);
  });

  it('needs no page where it has a bearer token, which no other site can send', async () => {
    const { ask } = await open();
    const headers = { 'sec-fetch-site': '', authorization: 'Bearer token' };
    expect((await ask('operator', 'POST', '/api/v1/organizations', { id: 'new' }, headers)).status).toBe(200);
  });

  it.each([
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/jsonp',
  ])('is refused as %j', async (type) => {
    const { ask } = await open();
    const response = await ask('operator', 'POST', '/api/v1/organizations', { id: 'new' }, { 'content-type': type });
    expect(response.status).toBe(415);
  });

  it('is refused if it is compressed, or announces more than 64 kB', async () => {
    const { ask } = await open();
    const send = (headers: object) => ask('operator', 'POST', '/api/v1/organizations', { id: 'new' }, headers);
    expect((await send({ 'content-encoding': 'gzip' })).status).toBe(415);
    expect(await send({ 'content-length': '65537' })).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect((await send({ 'content-type': 'Application/JSON; charset=UTF-8', 'content-length': '65536' })).status).toBe(
      200,
    );
  });

  it.each(['', 'nothing', '[]', '"text"', 'null', '{"id":"x"', '\ufffd'])(
    'is refused with the body %j',
    async (text) => {
      const { call } = openStage();
      expect((await call('operator', 'POST', '/api/v1/organizations', { text })).status).toBe(400);
    },
  );
});
