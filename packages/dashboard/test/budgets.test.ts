import { describe, expect, it } from 'vitest';
import { openStage, removePages, type Stage } from './stage.js';

removePages();

const LIST = '/api/v1/organizations/acme/budgets';
const TEAM = `${LIST}/team%3Aresearch`;
const MONTHLY = { limit: '200.00', limit_reset: 'monthly' };

async function stageOf(): Promise<Stage> {
  const stage = openStage();
  await stage.administration.organizations.create({ id: 'acme' });
  return stage;
}

const put = (stage: Stage, path: string, json: object) => stage.call('operator', 'PUT', path, { json });

describe('budgets', () => {
  it('are set, replaced, read, listed and deleted', async () => {
    const stage = await stageOf();
    const made = {
      id: 'team:research',
      limit: '200',
      limit_reset: 'monthly',
      mode: 'enforce',
      usage: '0',
      held: '0',
      limit_remaining: '200',
      resets_at: '2026-12-01T00:00:00.000Z',
      created_at: '2026-11-21T12:00:00.000Z',
    };
    expect((await put(stage, TEAM, MONTHLY)).json).toEqual(made);
    expect((await stage.call('viewer', 'GET', TEAM)).json).toEqual(made);
    const used = { adjustmentId: 'a', organizationId: 'acme', amount: 3_000_000_000n, note: '' };
    await stage.ledger.adjust({ ...used, budgets: ['team:research'] });
    const forever = { limit_reset: null, resets_at: null, mode: 'warn' };
    const changed = { ...made, ...forever, limit: '0.5', usage: '3', limit_remaining: '-2.5' };
    expect((await put(stage, TEAM, { limit: '0.50', mode: 'warn' })).json).toEqual(changed);
    expect((await stage.call('viewer', 'GET', LIST)).json).toEqual({ data: [changed], next_cursor: null });
    const gone = await stage.call('operator', 'DELETE', TEAM, { headers: { 'content-type': undefined as never } });
    expect([gone.status, gone.json]).toEqual([200, changed]);
    expect((await stage.call('viewer', 'GET', TEAM)).status).toBe(404);
    expect((await stage.call('operator', 'DELETE', TEAM, { json: {} })).status).toBe(404);
    const { json } = await stage.call('viewer', 'GET', '/api/v1/changes', { query: 'organization=acme' });
    expect(json.data.map(({ actor, action }: Record<string, string>) => `${actor} ${action}`).sort()).toEqual([
      'host organization.create',
      'operator budget.delete',
      'operator budget.set',
      'operator budget.set',
    ]);
  });

  it('have ids of any printable characters, percent-encoded', async () => {
    const stage = await stageOf();
    for (const id of ['a/b', '%2F', '..a', '"\\<b>?#&', '*']) {
      const path = `${LIST}/${encodeURIComponent(id)}`;
      expect((await put(stage, path, MONTHLY)).json.id).toBe(id);
      expect((await stage.call('viewer', 'GET', path)).json.id).toBe(id);
    }
    expect((await stage.call('viewer', 'GET', LIST)).json.data).toHaveLength(5);
    for (const path of [`${LIST}/two%20words`, `${LIST}/`, `${LIST}/${'x'.repeat(10_000)}`, `${LIST}/%E0`]) {
      const refused = await put(stage, path, MONTHLY);
      expect([path.slice(0, 60), refused.status, refused.json?.error.field]).toEqual([path.slice(0, 60), 400, 'id']);
    }
  });

  it.each([
    [{}, 'limit'],
    [{ limit: 200 }, 'limit'],
    [{ limit: '-1' }, 'limit'],
    [{ limit: '999999999999' }, 'limit'],
    [{ limit: '1', limit_reset: 'hourly' }, 'limit_reset'],
    [{ limit: '1', mode: 'soft' }, 'mode'],
    [{ limit: '1', id: 'other' }, 'id'],
  ])('refuse %j, naming the field', async (json, field) => {
    const stage = await stageOf();
    const refused = await put(stage, TEAM, json);
    expect([refused.status, refused.json.error.field]).toEqual([400, field]);
    expect((await stage.call('viewer', 'GET', TEAM)).status).toBe(404);
  });

  it('need JSON to be set, and no body to be deleted', async () => {
    const stage = await stageOf();
    const bare = { 'content-type': undefined as never };
    expect((await stage.call('operator', 'PUT', TEAM, { json: MONTHLY, headers: bare })).status).toBe(415);
    const foreign = { ...bare, 'sec-fetch-site': 'cross-site' };
    expect((await stage.call('operator', 'DELETE', TEAM, { headers: foreign })).status).toBe(403);
    await put(stage, TEAM, MONTHLY);
    expect((await stage.call('operator', 'DELETE', TEAM, { json: { all: true } })).status).toBe(400);
    for (const [path, allow] of [
      [TEAM, 'GET, HEAD, PUT, DELETE'],
      [LIST, 'GET, HEAD'],
    ] as const)
      expect((await stage.call('operator', 'POST', path, { json: {} })).headers['allow']).toBe(allow);
  });
});

describe('budgets of keys', () => {
  it('are set, shown, changed, copied, and hold the budget', async () => {
    const stage = await stageOf();
    await put(stage, TEAM, MONTHLY);
    const made = await stage.call('operator', 'POST', '/api/v1/keys', {
      json: { organization_id: 'acme', label: 'ci', budgets: ['team:research'] },
    });
    const { id } = made.json.key;
    expect(made.json.key.budgets).toEqual(['team:research']);
    const refused = await stage.call('operator', 'DELETE', TEAM, { json: {} });
    expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining(id)]);
    const copy = await stage.call('operator', 'POST', `/api/v1/keys/${id}/rotate`, { json: {} });
    expect(copy.json.key.budgets).toEqual(['team:research']);
    const change = (budgets: readonly string[]) =>
      stage.call('operator', 'POST', `/api/v1/keys/${id}/update`, { json: { budgets } });
    expect((await change([])).json.budgets).toEqual([]);
    const unknown = await change(['team:reserch']);
    expect([unknown.status, unknown.json.error]).toEqual([
      400,
      {
        field: 'budgets',
        message: 'the organization has no budget team:reserch. Did you mean "team:research"?',
      },
    ]);
    expect((await change(['a', 'b', 'c', 'd', 'e'])).json.error.field).toBe('budgets');
    const csv = await stage.call('viewer', 'GET', '/api/v1/keys.csv');
    expect(csv.text.split('\r\n')[0]).toContain(',allowed_models,budgets,');
    expect(csv.text).toContain('team:research');
  });
});

it('sums up usage by budget: rows overlap, the total counts everything once', async () => {
  const stage = await stageOf();
  const adjust = (adjustmentId: string, budgets: readonly string[]) =>
    stage.ledger.adjust({ adjustmentId, organizationId: 'acme', amount: 1_000_000_000n, note: '', budgets });
  await adjust('a', ['team:research', 'user:ada']);
  await adjust('b', ['team:research']);
  const query = 'by=budget&organization=acme';
  const { json } = await stage.call('acmeViewer', 'GET', '/api/v1/usage', { query });
  expect(json.data.map((line: Record<string, string>) => [line['group'], line['adjusted']])).toEqual([
    ['team:research', '2'],
    ['user:ada', '1'],
    [null, '0'],
  ]);
  expect(json.total.adjusted).toBe('2');
  const csv = await stage.call('acmeViewer', 'GET', '/api/v1/usage.csv', { query });
  expect(csv.text).toMatch(/^budget,requests,/);
});

it('has no budgets where the host authenticates callers', async () => {
  const stage = openStage({}, false);
  expect((await stage.call('operator', 'GET', LIST)).status).toBe(404);
  expect((await put(stage, TEAM, MONTHLY)).status).toBe(404);
});
