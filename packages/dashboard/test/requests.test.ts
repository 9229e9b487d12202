import { describe, expect, it } from 'vitest';
import { failOnce, MODEL, NOW_MS, openStage, removePages, type Stage, spend } from './stage.js';

removePages();

const PATH = '/api/v1/requests';

type Row = Record<string, unknown> & { readonly request_id: string; readonly answer_id: string | null };

/** Two calls of acme, one of globex a minute later, and one of acme that fails another minute later. */
async function fourCalls(): Promise<Stage> {
  const stage = openStage();
  await spend(stage, 'acme', 2);
  await stage.clock.advance(60_000);
  await spend(stage, 'globex');
  await stage.clock.advance(60_000);
  await failOnce(stage, 'acme');
  await stage.clock.advance(1_000);
  return stage;
}

async function found({ call }: Stage, query = '', user: Parameters<Stage['call']>[0] = 'viewer') {
  const { status, json } = await call(user, 'GET', PATH, { query });
  expect(status).toBe(200);
  return json as { data: Row[]; next_cursor: string | null };
}

describe('api/v1/requests', () => {
  it('gives the calls, the newest first, joined to their charges', async () => {
    const stage = await fourCalls();
    const { data, next_cursor } = await found(stage);
    expect(next_cursor).toBeNull();
    expect(data.map(({ organization_id, status, cost }) => [organization_id, status, cost])).toEqual([
      ['acme', 502, null],
      ['globex', 200, '0.01'],
      ['acme', 200, '0.01'],
      ['acme', 200, '0.01'],
    ]);
    const { entries } = await stage.ledger.entries({ limit: 100 });
    const charges = entries.flatMap((entry) => (entry.kind === 'charge' ? [entry.id] : []));
    expect(new Set(data.slice(1).map((row) => row.answer_id))).toEqual(new Set(charges));
    expect(data[1]).toEqual({
      request_id: expect.stringMatching(/^req_/),
      answer_id: expect.stringMatching(/^ans_/),
      at: new Date(NOW_MS + 60_000).toISOString(),
      endpoint: 'answer',
      key_id: expect.any(String),
      organization_id: 'globex',
      tag: null,
      budgets: [],
      byok: false,
      model_asked: MODEL,
      model: MODEL,
      provider: 'handbook',
      status: 200,
      reason: null,
      cause: null,
      attempted: ['handbook'],
      attempt_count: 1,
      rescued: false,
      stream: false,
      cache: null,
      cost: '0.01',
      upstream_cost: '0.01',
      loss: '0',
      duration_ms: 0,
      upstream_ms: 0,
      first_part_ms: null,
    });
  });

  it('finds by each field, and page by page', async () => {
    const stage = await fourCalls();
    const count = async (query: string) => (await found(stage, query)).data.length;
    const minute = (at: number) => new Date(NOW_MS + at * 60_000).toISOString();
    expect(await count(`since=${minute(1)}`)).toBe(2);
    expect(await count(`until=${minute(1)}`)).toBe(2);
    expect(await count('organization=acme')).toBe(3);
    expect(await count('key=failing')).toBe(1);
    expect(await count(`model=${MODEL}&provider=handbook`)).toBe(4);
    expect(await count('status=5')).toBe(1);
    expect(await count('status=200')).toBe(3);
    expect(await count('reason=upstream_error')).toBe(1);
    expect(await count('tag=unknown')).toBe(0);
    const first = await found(stage, 'limit=3');
    const second = await found(stage, `limit=3&cursor=${first.next_cursor}`);
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([3, 1, null]);
  });

  it('shows the budgets of a call and whether the key was its own, and finds by budget', async () => {
    const stage = openStage();
    const ids = ['team:research', "user:o'neill,1"];
    const budgets = ids.map((id) => ({ id, limit: '5.00' }));
    await stage.gateway.answer({ apiKey: { id: 'ci', organizationId: 'acme', budgets }, model: MODEL, query: 'When?' });
    await spend(stage, 'acme');
    await stage.clock.advance(1_000);
    const { rows = [] } = (await stage.administration.requests?.find({ budget: 'team:research' })) ?? {};
    const own = { requestId: 'req_own', answerId: null, organizationId: 'globex', byok: true, attempts: [] };
    await stage.log.append(rows.map((row) => ({ ...row, ...own })));
    const { data } = await found(stage, `budget=${encodeURIComponent("user:o'neill,1")}`);
    expect(data.map((row) => [row['organization_id'], row['byok'], row['budgets']])).toEqual([
      ['globex', true, ids],
      ['acme', false, ids],
    ]);
    expect((await found(stage)).data).toHaveLength(3);
    expect((await found(stage, 'budget=team')).data).toEqual([]);
    expect((await found(stage, 'budget=team:research', 'globexViewer')).data).toEqual([data[0]]);
    const detail = await stage.call('globexViewer', 'GET', `${PATH}/req_own`);
    expect(detail.json).toMatchObject({ byok: true, budgets: ids });
    const csv = await stage.call('globexViewer', 'GET', `${PATH}.csv`, { query: 'budget=team:research' });
    expect(csv.text).toContain(`,"[""team:research"",""user:o'neill,1""]",true,,"[""handbook""]",1,false,req_own,`);
  });

  it.each([
    ['attempted=handbook', 4],
    ['attempted=hand', 0],
    ['rescued=true', 0],
    ['min_cost=0.01', 3],
    ['min_cost=0.010000001', 0],
    ['min_duration_ms=1', 0],
    ['min_attempts=1&status=5', 1],
  ])('finds by %s', async (query, calls) => {
    expect((await found(await fourCalls(), query)).data).toHaveLength(calls);
  });

  it.each(['rescued=yes', 'min_cost=-1', 'min_duration_ms=1.5', 'min_attempts=many'])('refuses %s', async (query) => {
    expect(await openStage().call('viewer', 'GET', PATH, { query })).toMatchObject({ status: 400 });
  });

  it('finds a call by the id of its request or its answer, with its attempts', async () => {
    const stage = await fourCalls();
    const [failed, answered] = (await found(stage)).data;
    for (const id of [answered?.request_id, answered?.answer_id]) {
      expect((await found(stage, `id=${id}`)).data).toEqual([answered]);
      const { json } = await stage.call('viewer', 'GET', `${PATH}/${id}`);
      const well = { phase: null, upstream_status: null, code: null };
      const attempt = { provider: 'handbook', model: MODEL, outcome: 'answered', cost: null, ...well };
      const times = { start_ms: 0, duration_ms: 0 };
      expect(json).toEqual({ ...answered, message: null, attempts: [{ ...attempt, ...times }] });
    }
    const { json } = await stage.call('viewer', 'GET', `${PATH}/${failed?.request_id}`);
    const message = 'The provider failed to handle the request.';
    expect(json).toMatchObject({ status: 502, message, attempts: [{ outcome: 'upstream_error' }] });
    expect((await found(stage, 'id=req_unknown')).data).toEqual([]);
    expect((await stage.call('viewer', 'GET', `${PATH}/req_unknown`)).status).toBe(404);
  });

  it('shows a user the organizations of that user alone', async () => {
    const stage = await fourCalls();
    const [failed, globex] = (await found(stage)).data;
    expect((await found(stage, '', 'acmeViewer')).data).toHaveLength(3);
    expect((await found(stage, '', 'globexViewer')).data).toEqual([globex]);
    expect((await found(stage, `id=${failed?.request_id}`, 'globexViewer')).data).toEqual([]);
    expect((await stage.call('globexViewer', 'GET', `${PATH}/${failed?.request_id}`)).status).toBe(404);
    expect((await stage.call('globexViewer', 'GET', PATH, { query: 'organization=acme' })).status).toBe(404);
    expect((await stage.call(null, 'GET', PATH)).status).toBe(404);
  });

  it.each([
    ['since=yesterday', 'since'],
    ['since=2026-11-26T03:00:00Z&until=2026-11-26T02:00:00Z', 'since'],
    ['status=9', 'status'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['cursor=x', 'cursor'],
    ['tag=a%00b', 'tag'],
    ['budget=a%00b', 'budget'],
    ['query=secret', 'query'],
  ])('refuses %s', async (query, field) => {
    const { status, json } = await openStage().call('viewer', 'GET', PATH, { query });
    expect([status, json.error.field]).toEqual([400, field]);
  });
});

describe('api/v1/requests.csv', () => {
  it('has the calls that fit, as a download without formulas', async () => {
    const stage = await fourCalls();
    const caller = { id: 'ci', organizationId: 'acme' };
    await stage.gateway.answer({ apiKey: caller, model: MODEL, query: 'When?', tag: '=1+1' });
    await stage.clock.advance(1_000);
    const { headers, text } = await stage.call('acmeViewer', 'GET', `${PATH}.csv`, { query: 'status=2' });
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="requests-2026-11-21.csv"',
    });
    const [titles = '', ...lines] = text.trimEnd().split('\r\n');
    expect(titles).toMatch(
      /^at,status,reason,endpoint,model,.*,organization_id,key_id,tag,budgets,byok,cause,attempted,attempt_count,rescued,request_id,answer_id$/,
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(
      /^2026-11-21T12:02:01.000Z,200,,answer,handbook\/answer,.*,acme,ci,'=1\+1,\[\],false,,"\[""handbook""\]",1,false,req_/,
    );
  });

  it.each([
    [100, 10_000, 100],
    // Of a log that reads a bounded part at once.
    [99, 10_000, 102],
    [1, 130, 130],
  ])('has pages of %d calls, %d at most, each in a turn of its own', async (most, calls, pages) => {
    const { gateway, administration } = openStage();
    const [row] = (await (await fourCalls()).administration.requests!.find({})).rows;
    const readIn: number[] = [];
    let [turn, isOver] = [0, false];
    const count = () => void ((turn += 1), isOver || setImmediate(count));
    const find = async (_filter: object, { limit = 0 }: { limit?: number | undefined } = {}) => {
      readIn.push(turn);
      return { rows: Array.from({ length: Math.min(limit, most) }, () => row!), nextCursor: '1.req_1' };
    };
    const requests = { ...administration.requests!, find };
    const stage = openStage({ gateway, administration: { ...administration, requests } });
    count();
    const { text } = await stage.call('viewer', 'GET', `${PATH}.csv`);
    isOver = true;
    expect(text.trimEnd().split('\r\n')).toHaveLength(calls + 1);
    expect([readIn.length, new Set(readIn).size]).toEqual([pages, pages]);
  });

  it('takes filters alone', async () => {
    const { status, json } = await openStage().call('viewer', 'GET', `${PATH}.csv`, { query: 'limit=5' });
    expect([status, json.error.field]).toEqual([400, 'limit']);
  });
});
