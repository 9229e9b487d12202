import { describe, expect, it } from 'vitest';
import { MODEL, openStage, removePages, type User } from './stage.js';

removePages();

/** Valid bodies of the changes. `:id` is a key of acme, `:foreign` a key of globex. */
const QUESTION = { model: MODEL, query: 'When?' };
const READING = { model: 'handbook/read', urls: ['https://example.org/'] };
const RANKING = { model: 'handbook/rank', query: 'leave', documents: ['Thirty days.'] };
const EMBEDDING = { model: 'handbook/embed', input: 'leave' };
const LIMITS = { rateLimit: { requests: 60, periodMs: 60_000 }, maxConcurrent: 4 };
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
  ['GET', '/api/nothing', null, [404, 404, 404, 404]],
  ['GET', '/constructor', null, [404, 404, 404, 404]],
  ['OPTIONS', '/api/keys', null, [405, 405, 405, 405]],
  ['DELETE', '/api/keys', null, [405, 405, 405, 405]],
  ['POST', '/', {}, [405, 405, 405, 405]],
  ['POST', '/api/session', {}, [405, 405, 405, 405]],
  ['GET', '/api/session', null, [200, 200, 200, 200]],
  ['GET', '/api/models', null, [200, 200, 200, 200]],
  ['GET', '/api/health', null, [200, 200, 200, 200]],
  ['HEAD', '/api/events', null, [200, 200, 200, 200]],
  ['GET', '/api/organizations', null, [200, 200, 200, 200]],
  ['GET', '/api/organizations/acme', null, [200, 200, 200, 200]],
  ['GET', '/api/organizations/globex', null, [200, 200, 404, 404]],
  ['GET', '/api/organizations/unknown', null, [404, 404, 404, 404]],
  ['GET', '/api/organizations/%ff', null, [404, 404, 404, 404]],
  ['GET', '/api/organizations/acme/grant', null, [405, 405, 405, 405]],
  ['POST', '/api/organizations', { id: 'acme' }, [403, 200, 403, 200]],
  ['POST', '/api/organizations', { id: 'initech' }, [403, 200, 403, 404]],
  ['POST', '/api/organizations/acme/grant', { amount: '1', grantId: 'g1' }, [403, 200, 403, 200]],
  ['POST', '/api/organizations/globex/grant', { amount: '1', grantId: 'g2' }, [403, 200, 403, 404]],
  ['POST', '/api/organizations/unknown/grant', { amount: '1', grantId: 'g3' }, [403, 404, 403, 404]],
  ['POST', '/api/organizations/acme/limits', LIMITS, [403, 200, 403, 200]],
  ['POST', '/api/organizations/globex/limits', LIMITS, [403, 200, 403, 404]],
  ['POST', '/api/organizations/acme/suspend', {}, [403, 200, 403, 200]],
  ['POST', '/api/organizations/globex/suspend', {}, [403, 200, 403, 404]],
  ['POST', '/api/organizations/acme/resume', {}, [403, 200, 403, 200]],
  ['POST', '/api/organizations/globex/resume', {}, [403, 200, 403, 404]],
  ['GET', '/api/keys', null, [200, 200, 200, 200]],
  ['GET', '/api/keys?organization=acme', null, [200, 200, 200, 200]],
  ['GET', '/api/keys?organization=globex', null, [200, 200, 404, 404]],
  ['POST', '/api/keys', { organizationId: 'acme', label: 'new' }, [403, 200, 403, 200]],
  ['POST', '/api/keys', { organizationId: 'globex', label: 'new' }, [403, 200, 403, 404]],
  ['POST', '/api/keys/:id/update', { label: 'renamed' }, [403, 200, 403, 200]],
  ['POST', '/api/keys/:foreign/update', { label: 'renamed' }, [403, 200, 403, 404]],
  ['POST', '/api/keys/:id/rotate', {}, [403, 200, 403, 200]],
  ['POST', '/api/keys/:foreign/rotate', {}, [403, 200, 403, 404]],
  ['POST', '/api/keys/:id/revoke', {}, [403, 200, 403, 200]],
  ['POST', '/api/keys/:foreign/revoke', {}, [403, 200, 403, 404]],
  ['POST', '/api/keys/sg_unknown/revoke', {}, [403, 404, 403, 404]],
  ['GET', '/api/usage?by=organization', null, [200, 200, 200, 200]],
  ['GET', '/api/usage?by=day&organization=acme', null, [200, 200, 200, 200]],
  ['GET', '/api/usage?by=day&organization=globex', null, [200, 200, 404, 404]],
  ['GET', '/api/usage?by=day&key=:id', null, [200, 200, 200, 200]],
  ['GET', '/api/usage?by=day&key=:foreign', null, [200, 200, 404, 404]],
  ['GET', '/api/usage.csv?by=model', null, [200, 200, 200, 200]],
  ['GET', '/api/usage.csv?by=model&organization=globex', null, [200, 200, 404, 404]],
  ['POST', '/api/ask/answer', QUESTION, [403, 200, 403, 404]],
  ['POST', '/api/ask/search', { ...QUESTION, model: 'handbook/find' }, [403, 200, 403, 404]],
  ['POST', '/api/ask/extract', READING, [403, 200, 403, 404]],
  ['POST', '/api/ask/rerank', RANKING, [403, 200, 403, 404]],
  ['POST', '/api/ask/embeddings', EMBEDDING, [403, 200, 403, 404]],
  ['POST', '/api/ask/embedding', EMBEDDING, [403, 404, 403, 404]],
  ['POST', '/api/ask/mcp', QUESTION, [403, 404, 403, 404]],
  ['POST', '/api/ask/..', QUESTION, [403, 404, 403, 404]],
];

async function open() {
  const stage = openStage();
  const { apiKeys } = stage.administration;
  const own = await apiKeys.create({ organizationId: 'acme', label: 'own' });
  const foreign = await apiKeys.create({ organizationId: 'globex', label: 'foreign' });
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
  const CHANGES = TABLE.filter(([method, , , statuses]) => method === 'POST' && statuses[1] === 200);

  it.each(CHANGES)('%s %s is refused unless the page sends it', async (method, target, json) => {
    const { ask, ledger } = await open();
    const before = JSON.stringify(await ledger.entries(), (_key, value: unknown) => String(value));
    for (const site of ['cross-site', 'same-site', 'none', '']) {
      expect(await ask('operator', method, target, json, { 'sec-fetch-site': site })).toMatchObject({
        status: 403,
        json: { error: { message: expect.stringContaining('Sec-Fetch-Site') } },
      });
    }
    const plain = { 'content-type': 'text/plain' };
    expect(await ask('operator', method, target, json, plain)).toMatchObject({ status: 415 });
    expect(JSON.stringify(await ledger.entries(), (_key, value: unknown) => String(value))).toBe(before);
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
    const response = await ask('operator', 'POST', '/api/organizations', { id: 'new' }, { 'content-type': type });
    expect(response.status).toBe(415);
  });

  it('is refused if it is compressed, or announces more than 64 kB', async () => {
    const { ask } = await open();
    const send = (headers: object) => ask('operator', 'POST', '/api/organizations', { id: 'new' }, headers);
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
      expect((await call('operator', 'POST', '/api/organizations', { text })).status).toBe(400);
    },
  );
});
