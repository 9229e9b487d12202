import type { Gateway } from '@searchgate/core';
import { createFakeClock, fakeProvider } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { delivered, MODEL, openStage, removePages, type Stage, spend, type User } from './stage.js';

removePages();

/** Every page of a list. */
async function pagesOf<Row>(stage: Stage, user: User, path: string, filter = ''): Promise<Row[][]> {
  const pages: Row[][] = [];
  for (let next: string | null = ''; next !== null; ) {
    const query: string = next === '' ? filter : `${filter}&cursor=${encodeURIComponent(next)}`;
    const { json } = await stage.call(user, 'GET', path, { query });
    pages.push(json.data);
    next = json.next_cursor;
  }
  return pages;
}

const post = async (stage: Stage, path: string, json: object) => stage.call('operator', 'POST', path, { json });

describe('organizations', () => {
  it('are made, granted credits, limited, suspended and resumed', async () => {
    const stage = openStage();
    const made = { id: 'new', name: 'New', created_at: '2026-11-21T12:00:00.000Z', suspended_at: null };
    const none = {
      rate_limit: null,
      max_concurrent: null,
      domains: null,
      operator_pays: false,
      spent_this_month: '0',
      keys: 0,
      last_used_at: null,
      credits: '0',
      usage: '0',
      held: '0',
      balance: '0',
    };
    expect((await post(stage, '/api/v1/organizations', { id: 'new', name: 'New' })).json).toEqual({ ...made, ...none });

    const grant = { amount: '25.00', note: 'invoice 7', grant_id: 'payment-1' };
    const granted = { ...made, ...none, credits: '25', balance: '25' };
    const adjustment = { amount: '0', note: 'invoice 7', adjustment_id: 'payment-1' };
    for (const [change, body] of Object.entries({ grant, adjust: adjustment })) {
      const path = `/api/v1/organizations/new/${change}`;
      expect((await post(stage, path, body)).json).toEqual(granted);
      expect((await post(stage, path, body)).json).toEqual(granted);
      expect(await post(stage, path, { ...body, amount: '26' })).toMatchObject({
        status: 409,
        json: { error: { field: expect.stringMatching(/_id$/) } },
      });
      await stage.administration.organizations.create({ id: 'other' }).catch(() => undefined);
      expect(await post(stage, path.replace('new', 'other'), { ...body, amount: '26' })).toMatchObject({ status: 200 });
    }

    const limits = { rate_limit: { requests: 60, period_ms: 60_000 }, max_concurrent: 4 };
    expect((await post(stage, '/api/v1/organizations/new/update', limits)).json).toEqual({ ...granted, ...limits });
    const suspended = { suspended_at: '2026-11-21T12:00:00.000Z' };
    expect((await post(stage, '/api/v1/organizations/new/suspend', {})).json).toMatchObject(suspended);
    expect((await post(stage, '/api/v1/organizations/new/resume', {})).json).toMatchObject({ suspended_at: null });
    await spend(stage, 'new', 2);
    const { json } = await stage.call('viewer', 'GET', '/api/v1/organizations/new');
    expect(json).toEqual({ ...granted, ...limits, keys: 1, spent_this_month: '0.02', usage: '0.02', balance: '24.98' });
  });

  it('are listed 100 a page, all or only the visible ones', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `org-${String(index).padStart(3, '0')}`);
    const seen = { role: 'viewer', organizations: [...ids.slice(20, 140), 'never-made'] } as const;
    const stage = openStage({
      authorize: (request) => (request.header('x-user') === 'viewer' ? seen : { ...seen, organizations: 'all' }),
    });
    for (const id of ids) await stage.administration.organizations.create({ id });
    for (const [user, expected] of [
      ['operator', ids],
      ['viewer', ids.slice(20, 140)],
    ] as const) {
      const pages = await pagesOf<{ id: string }>(stage, user, '/api/v1/organizations');
      expect(pages.flat().map(({ id }) => id)).toEqual(expected);
      expect(pages.map(({ length }) => length)).toEqual(user === 'operator' ? [100, 50] : [100, 20]);
    }
  });

  it.each([
    ['/api/v1/organizations', { id: 'two words' }, 'id'],
    ['/api/v1/organizations', { id: 7 }, 'id'],
    ['/api/v1/organizations', { id: 'x', owner: 'me' }, 'owner'],
    ['/api/v1/organizations', {}, 'id'],
    ['/api/v1/organizations/acme/grant', { amount: '-1', grant_id: 'g' }, 'amount'],
    ['/api/v1/organizations/acme/grant', { amount: '1,5', grant_id: 'g' }, 'amount'],
    ['/api/v1/organizations/acme/grant', { amount: '0.0000000001', grant_id: 'g' }, 'amount'],
    ['/api/v1/organizations/acme/grant', { amount: '999999999999', grant_id: 'g' }, 'amount'],
    ['/api/v1/organizations/acme/grant', { amount: '1' }, 'grant_id'],
    [
      '/api/v1/organizations/acme/update',
      { rate_limit: { requests: 0, period_ms: 1_000 }, max_concurrent: null },
      'rate_limit.requests',
    ],
    ['/api/v1/organizations/acme/update', { operator_pays: 'yes' }, 'operator_pays'],
    ['/api/v1/organizations/acme/adjust', { amount: '--1', note: '', adjustment_id: 'a' }, 'amount'],
    [
      '/api/v1/organizations/acme/adjust',
      { amount: '1', note: '', adjustment_id: 'a', budgets: ['a', 'b', 'c', 'd', 'e'] },
      'budgets',
    ],
    ['/api/v1/organizations/acme/erase', { all: true }, 'all'],
    ['/api/v1/organizations/acme/suspend', { now: true }, 'now'],
  ])('%s refuses %j, naming the field', async (path, json, field) => {
    const stage = openStage();
    await stage.administration.organizations.create({ id: 'acme' });
    const response = await post(stage, path, json);
    expect([response.status, response.json.error.field]).toEqual([400, field]);
    expect(await stage.administration.organizations.get('acme')).toMatchObject({
      credits: 10_000_000_000n,
      suspendedAtMs: null,
    });
  });
});

describe('the record of changes', () => {
  it('names the user, and shows what was there before and after', async () => {
    const stage = openStage();
    await post(stage, '/api/v1/organizations', { id: 'acme', name: 'Acme', operator_pays: true });
    await stage.clock.advance(1_000);
    await post(stage, '/api/v1/organizations/acme/adjust', { amount: '0.5', note: 'late', adjustment_id: 'a' });
    const { json } = await stage.call('viewer', 'GET', '/api/v1/changes', { query: 'organization=acme&limit=1' });
    expect(json).toEqual({
      data: [
        {
          id: expect.stringMatching(/^change_/),
          at: '2026-11-21T12:00:01.000Z',
          actor: 'operator',
          action: 'adjust',
          organization_id: 'acme',
          key_id: null,
          outcome: 'made',
          given: { organization_id: 'acme', amount: '0.5', note: 'late', adjustment_id: 'a' },
          before: expect.objectContaining({ usage: '0', operator_pays: true }),
          after: expect.objectContaining({ usage: '0.5', created_at: expect.any(String) }),
        },
      ],
      next_cursor: expect.stringMatching(/^change_/),
    });
    const query = `cursor=${json.next_cursor}&actor=operator`;
    const rest = await stage.call('acmeViewer', 'GET', '/api/v1/changes', { query });
    expect(rest.json.data.map(({ action }: { action: string }) => action)).toEqual(['organization.create']);
    expect((await stage.call('viewer', 'GET', '/api/v1/changes', { query: 'actor=ada' })).json.data).toEqual([]);
  });

  it('is seen only of the own organizations, and erased only by those who see all', async () => {
    const stage = openStage();
    for (const id of ['acme', 'globex']) await post(stage, '/api/v1/organizations', { id });
    const seen = async (user: 'acmeOperator' | 'operator') => {
      const { json } = await stage.call(user, 'GET', '/api/v1/changes');
      return json.data.map(
        (row: { organization_id: string; action: string }) => `${row.organization_id} ${row.action}`,
      );
    };
    expect(await seen('acmeOperator')).toEqual(['acme organization.create']);
    await post(stage, '/api/v1/organizations/acme/grant', { amount: '5', grant_id: 'own' });
    const erase = async (user: 'acmeOperator' | 'operator') =>
      (await stage.call(user, 'POST', '/api/v1/organizations/acme/erase', { json: {} })).json;
    expect(await erase('acmeOperator')).toEqual({ replies: 0, requests: 0, tenant_keys: 0, changes: null });
    expect((await seen('acmeOperator')).toSorted()).toEqual([
      'acme grant',
      'acme organization.create',
      'acme replies.erase',
      'acme requests.erase',
    ]);
    expect(await erase('operator')).toEqual({ replies: 0, requests: 0, tenant_keys: 0, changes: 1 });
    expect((await seen('operator')).toSorted()).toEqual([
      'acme changes.erase',
      'acme grant',
      'acme replies.erase',
      'acme replies.erase',
      'acme requests.erase',
      'acme requests.erase',
      'globex organization.create',
    ]);
  });
});

describe('keys', () => {
  const SETTINGS = {
    label: 'ci',
    limit: '5',
    limit_reset: 'monthly',
    allowed_models: [MODEL],
    rate_limit: { requests: 60, period_ms: 60_000 },
    max_concurrent: 2,
    expires_at: '2027-01-31T00:00:00.000Z',
  } as const;

  it('are made with all their settings, and their secret is shown once', async () => {
    const stage = openStage();
    const { json } = await post(stage, '/api/v1/keys', { organization_id: 'acme', ...SETTINGS });
    const { secret, key } = json;
    expect(key).toEqual({
      id: expect.stringMatching(/^sg_/),
      organization_id: 'acme',
      ...SETTINGS,
      budgets: [],
      domains: null,
      created_at: '2026-11-21T12:00:00.000Z',
      revoked_at: null,
      last_used_at: null,
      usage: '0',
      held: '0',
    });
    await stage.gateway.answer({ apiKey: secret, model: MODEL, query: 'When?' });
    await stage.clock.advance(1_000);
    const used = { usage: '0.01', last_used_at: '2026-11-21T12:00:00.000Z' };
    for (const path of ['/api/v1/keys', '/api/v1/organizations', '/api/v1/organizations/acme', '/api/v1/health']) {
      expect((await stage.call('operator', 'GET', path)).text).not.toContain(secret.slice(key.id.length + 1));
    }
    expect((await stage.call('viewer', 'GET', `/api/v1/keys/${key.id}`)).json).toEqual({ ...key, ...used });
    const { json: list } = await stage.call('viewer', 'GET', '/api/v1/keys');
    expect(list).toEqual({ data: [{ ...key, ...used }], next_cursor: null, is_cut: false });
  });

  it('show their spending in the current window of the limit, or of all time without a window', async () => {
    const stage = openStage();
    const key = await spend(stage, 'acme', 3);
    const usageOf = async () => (await stage.call('viewer', 'GET', '/api/v1/keys')).json.data[0].usage;
    await stage.clock.advance(86_400_000);
    expect(await usageOf()).toBe('0.03');
    await post(stage, `/api/v1/keys/${key}/update`, { limit: '1', limit_reset: 'daily' });
    expect(await usageOf()).toBe('0');
  });

  it('change only the given fields', async () => {
    const stage = openStage();
    const { key } = (await post(stage, '/api/v1/keys', { organization_id: 'acme', ...SETTINGS })).json;
    const change = { label: 'renamed', limit: null, limit_reset: null, max_concurrent: null };
    const changed = { ...key, ...change };
    const half = await post(stage, `/api/v1/keys/${key.id}/update`, { limit: null });
    expect(half).toMatchObject({ status: 400, text: expect.stringContaining('set limit_reset to null too') as string });
    expect((await post(stage, `/api/v1/keys/${key.id}/update`, change)).json).toEqual(changed);
    expect((await post(stage, `/api/v1/keys/${key.id}/update`, {})).json).toEqual(changed);
  });

  it('are refused at once when they are revoked', async () => {
    const stage = openStage();
    const { secret, key } = (await post(stage, '/api/v1/keys', { organization_id: 'acme', label: 'ci' })).json;
    const ask = () => stage.gateway.answer({ apiKey: secret, model: MODEL, query: 'When?' });
    await ask();
    expect((await post(stage, `/api/v1/keys/${key.id}/revoke`, {})).json).toMatchObject({
      revoked_at: '2026-11-21T12:00:00.000Z',
    });
    await expect(ask()).rejects.toMatchObject({ reason: 'revoked_api_key' });
    expect(await post(stage, `/api/v1/keys/${key.id}/rotate`, {})).toMatchObject({ status: 409 });
  });

  it('are rotated: a new key with the same settings, while the old key still works', async () => {
    const stage = openStage();
    const old = (await post(stage, '/api/v1/keys', { organization_id: 'acme', ...SETTINGS })).json;
    const rotated = (await post(stage, `/api/v1/keys/${old.key.id}/rotate`, {})).json;
    expect(rotated.key).toEqual({ ...old.key, id: expect.not.stringMatching(old.key.id) });
    for (const { secret } of [old, rotated])
      await stage.gateway.answer({ apiKey: secret, model: MODEL, query: 'When?' });
    const { data } = (await stage.call('viewer', 'GET', '/api/v1/keys')).json;
    expect(data.map(({ usage }: { usage: string }) => usage)).toEqual(['0.01', '0.01']);
  });

  it('are rotated even without a limit, but not after they expired', async () => {
    const stage = openStage();
    const { key } = (await post(stage, '/api/v1/keys', { organization_id: 'acme', ...SETTINGS })).json;
    await post(stage, `/api/v1/keys/${key.id}/update`, { limit: null, limit_reset: null });
    expect((await post(stage, `/api/v1/keys/${key.id}/rotate`, {})).json.key).toMatchObject({
      limit: null,
      limit_reset: null,
    });
    await stage.clock.advance(Date.UTC(2027, 1) - stage.clock.now());
    expect(await post(stage, `/api/v1/keys/${key.id}/rotate`, {})).toMatchObject({ status: 409 });
  });

  it('are listed page by page: all, of one organization, or of the visible organizations', async () => {
    const stage = openStage();
    const make = async (organizationId: string, count: number) => {
      for (let index = 0; index < count; index += 1) {
        await stage.administration.apiKeys.create({ organizationId, label: `${organizationId}-${index}` });
      }
    };
    await make('globex', 3);
    await make('acme', 120);
    await make('initech', 1);
    const listed = async (user: User, filter = '') => {
      const pages = await pagesOf<{ label: string }>(stage, user, '/api/v1/keys', filter);
      return pages.flatMap((page) => page.map(({ label }) => label));
    };
    const of = (organization_id: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${organization_id}-${index}`);
    const sorted = (labels: readonly string[]) => [...labels].sort();
    expect(sorted(await listed('viewer'))).toEqual(
      sorted([...of('globex', 3), ...of('acme', 120), ...of('initech', 1)]),
    );
    expect(sorted(await listed('twoOperator'))).toEqual(sorted([...of('globex', 3), ...of('acme', 120)]));
    expect(sorted(await listed('acmeViewer'))).toEqual(sorted(of('acme', 120)));
    expect(sorted(await listed('twoOperator', 'organization=globex'))).toEqual(of('globex', 3));
  });

  it('of a hidden organization are on no page, whatever the cursor', async () => {
    const stage = openStage();
    await stage.administration.apiKeys.create({ organizationId: 'globex', label: 'foreign' });
    for (const after of ['globex', 'globex ', 'a', 'zzz', '']) {
      for (const query of [`cursor=${encodeURIComponent(after)}`, `sort=label&cursor=${encodeURIComponent(after)}`])
        expect((await stage.call('acmeViewer', 'GET', '/api/v1/keys', { query })).text).not.toContain('foreign');
    }
  });

  it.each([
    ['/api/v1/keys', 'organization=two words', 'organization'],
    ['/api/v1/keys', 'cursor=nonsense', 'cursor'],
    ['/api/v1/organizations', 'cursor=nonsense', 'cursor'],
    ['/api/v1/organizations', 'limit=1001', 'limit'],
    ['/api/v1/keys', 'limit=0', 'limit'],
  ])('refuse %s?%s, naming the parameter once', async (path, query, name) => {
    const { status, json } = await openStage().call('operator', 'GET', path, { query });
    expect([status, json.error.field]).toEqual([400, name]);
    expect(json.error.message).toMatch(/^(found|expected|must) /);
  });

  it.each([
    [{ label: '' }, 'label'],
    [{ label: 'ci', limit: '5,00' }, 'limit'],
    [{ label: 'ci', limit_reset: 'monthly' }, 'limit_reset'],
    [{ label: 'ci', limit: '1', limit_reset: 'hourly' }, 'limit_reset'],
    [{ label: 'ci', allowed_models: 'exa/answer' }, 'allowed_models'],
    [{ label: 'ci', allowed_models: [7] }, 'allowed_models.0'],
    [{ label: 'ci', rate_limit: { requests: 1.5, period_ms: 1_000 } }, 'rate_limit.requests'],
    [{ label: 'ci', expires_at: 'tomorrow' }, 'expires_at'],
    [{ label: 'ci', secret: 'mine' }, 'secret'],
  ])('refuse %j, naming the field', async (fields, field) => {
    const stage = openStage();
    const { status, json } = await post(stage, '/api/v1/keys', { organization_id: 'acme', ...fields });
    expect([status, json.error.field]).toEqual([400, field]);
    expect((await stage.administration.apiKeys.list()).items).toEqual([]);
  });

  it('are 503 if the storage fails; the error is logged but not shown', async () => {
    const stage = openStage();
    const { administration, gateway } = stage;
    const list = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
    const failing = openStage({
      gateway,
      administration: { ...administration, apiKeys: { ...administration.apiKeys, list } },
    });
    const { status, text } = await failing.call('operator', 'GET', '/api/v1/keys');
    expect([status, text.includes('10.0.0.7')]).toEqual([503, false]);
    expect(failing.logged).toEqual([expect.objectContaining({ message: expect.stringContaining('ECONNREFUSED') })]);
  });
});

describe('storage that hangs', () => {
  it('is a 503 after 30 s, and leaves no timer behind', async () => {
    const { administration, gateway } = openStage();
    const list = () => new Promise<never>(() => undefined);
    const clock = createFakeClock();
    const hanging = { ...administration, apiKeys: { ...administration.apiKeys, list } };
    const { call } = openStage({ gateway, administration: hanging, clock });
    const response = call('operator', 'GET', '/api/v1/keys');
    await clock.advance(30_000);
    expect(await response).toMatchObject({ status: 503, json: { error: { field: null } } });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('api/v1/ask', () => {
  const ask = (stage: Stage, json: object) => post(stage, '/api/v1/ask/answer', json);
  const QUESTION = { model: MODEL, query: 'When?' };

  it('answers without any key, charged to the house and counted as the dashboard', async () => {
    const stage = openStage();
    const { status, headers, json } = await ask(stage, QUESTION);
    expect([status, json.answer, json.usage]).toEqual([200, 'Thirty days [1].', { cost: 0.01 }]);
    expect(headers).toMatchObject({
      'server-timing': expect.stringContaining('upstream;dur='),
      'x-request-id': expect.any(String),
    });
    expect((await stage.administration.apiKeys.list()).items).toEqual([]);
    await delivered();
    const { json: usage } = await stage.call('operator', 'GET', '/api/v1/usage', {
      query: 'by=key&organization=house',
    });
    expect(usage.data[0]).toMatchObject({ group: 'dashboard', requests: 1, charged: '0.01' });
  });

  it('streams', async () => {
    const { text } = await ask(openStage(), { ...QUESTION, stream: true });
    expect(text.match(/^event: \w+/gm)).toEqual(
      ['start', 'citations', 'delta', 'delta', 'done'].map((name) => `event: ${name}`),
    );
  });

  it('searches, reads pages and sorts documents in the same way', async () => {
    const stage = openStage();
    const search = {
      model: 'handbook/find',
      query: 'leave',
      max_results: 12,
      search: { include_domains: ['example.org'] },
    };
    const found = await post(stage, '/api/v1/ask/search', search);
    expect([found.status, found.json.results.length, found.json.usage]).toEqual([200, 2, { results: 2, cost: 0.009 }]);
    const extract = { model: 'handbook/read', urls: ['https://example.org/a', 'https://example.org/gone'] };
    const read = await post(stage, '/api/v1/ask/extract', extract);
    expect([read.status, read.json.results.length, read.json.usage]).toEqual([200, 1, { pages: 1, cost: 0.002 }]);
    expect(read.json.failed).toEqual([{ url: 'https://example.org/gone', reason: 'page_not_found' }]);
    const ranked = await post(stage, '/api/v1/ask/rerank', {
      model: 'handbook/rank',
      query: 'leave',
      documents: ['Ten days.', 'Thirty days.'],
    });
    expect([ranked.json.results[0].document.text, ranked.json.usage]).toEqual([
      'Thirty days.',
      { search_units: 1, cost: 0.002 },
    ]);
    const refused = await post(stage, '/api/v1/ask/search', { ...search, query: 'fail' });
    expect([refused.status, refused.json.error.reason]).toEqual([502, 'upstream_error']);
    await delivered();
    const usage = await stage.call('operator', 'GET', '/api/v1/usage', { query: 'by=model&organization=house' });
    expect(usage.json.data.slice(0, 3)).toMatchObject([
      { group: 'handbook/find', requests: 1, charged: '0.009' },
      { group: 'handbook/rank', requests: 1, charged: '0.002' },
      { group: 'handbook/read', requests: 1, charged: '0.002' },
    ]);
    const { providers } = (await stage.call('operator', 'GET', '/api/v1/health')).json;
    expect(providers[0]).toMatchObject({ id: 'handbook', attempts: 4, failures: 1 });
  });

  it('makes vectors in the same way, however long the reply', async () => {
    const input = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const { status, text, json } = await post(openStage(), '/api/v1/ask/embeddings', {
      model: 'handbook/embed',
      input,
    });
    expect([status, json.data.length, json.data[199].embedding.length]).toEqual([200, 200, 1_536]);
    expect(json.usage).toEqual({ prompt_tokens: 2_000, total_tokens: 2_000, cost: 0.2 });
    expect(text.length).toBeGreaterThan(1_000_000);
  });

  it.each([
    [{ ...QUESTION, model: 'exa/nothing' }, 404, 'model_not_found'],
    [{ ...QUESTION, search: { country: 'DE' } }, 400, 'unsupported_option'],
    [{ model: MODEL }, 400, 'invalid_field'],
    [{ ...QUESTION, query: 'fail' }, 502, 'upstream_error'],
  ])('returns the API’s error for %j', async (question, status, reason) => {
    const response = await ask(openStage(), question);
    expect([response.status, response.json.error.reason]).toEqual([status, reason]);
  });

  it('obeys the limits of the house and of its organization', async () => {
    const poor = openStage({ house: { organizationId: 'house', limit: '0.015' } });
    expect((await ask(poor, QUESTION)).status).toBe(200);
    expect((await ask(poor, QUESTION)).json.error.reason).toBe('key_limit_reached');
    const slow = openStage();
    await slow.administration.organizations.create({ id: 'house', rateLimit: { requests: 1, periodMs: 60_000 } });
    expect((await ask(slow, QUESTION)).status).toBe(200);
    expect((await ask(slow, QUESTION)).json.error.reason).toBe('rate_limited');
    await slow.administration.organizations.suspend('house');
    expect(await ask(slow, QUESTION)).toMatchObject({
      status: 403,
      json: { error: { message: expect.stringContaining('suspended') } },
    });
  });

  it('exists only for operators who may see the house', async () => {
    const canAsk = async (stage: Stage, user: 'viewer' | 'operator' | 'acmeOperator') =>
      (await stage.call(user, 'GET', '/api/v1/session')).json.can_ask;
    const stage = openStage();
    expect([
      await canAsk(stage, 'viewer'),
      await canAsk(stage, 'operator'),
      await canAsk(stage, 'acmeOperator'),
    ]).toEqual([false, true, false]);
    expect(await canAsk(openStage({ house: { organizationId: 'acme' } }), 'acmeOperator')).toBe(true);
    const without = openStage({ house: undefined });
    expect([await canAsk(without, 'operator'), (await ask(without, QUESTION)).status]).toEqual([false, 404]);
  });
});

describe('the session', () => {
  it('has the user’s role, and the paths of the host', async () => {
    const links = { answerUrl: '../api/v1/answer', logoutUrl: '/logout' };
    const { json } = await openStage(links).call('twoOperator', 'GET', '/api/v1/session');
    expect(json).toEqual({
      role: 'operator',
      organizations: ['acme', 'globex'],
      actor: 'twoOperator',
      can_read_texts: false,
      has_changes: true,
      has_keys: true,
      has_requests: true,
      tenant_key_providers: ['handbook'],
      can_ask: false,
      answer_url: '../api/v1/answer',
      logout_url: '/logout',
    });
    expect((await openStage().call('viewer', 'GET', '/api/v1/session')).json).toMatchObject({
      answer_url: null,
      logout_url: null,
    });
  });

  it('lists the models that can be called, with their categories, options and prices', async () => {
    const row = (id: string, category: string, price: string, more: object = {}) => {
      const without = { features: [], policies: [], options: [] };
      return { id, name: id, category, provider: 'handbook', ...without, price, ...more };
    };
    const options = ['include_domains'];
    const ofAnswers = { name: 'Handbook', features: fakeProvider().models[0]?.features, options };
    const dear = '$0.007 a call, $0.001 a result beyond 10';
    expect((await openStage().call('viewer', 'GET', '/api/v1/models')).json.data).toEqual([
      row('handbook/find', 'search', dear, { features: ['content'], options }),
      row('handbook/embed', 'embedding', '$100 per 1M tokens'),
      row('handbook/rank', 'rerank', '$0.002 per 100 documents'),
      row('handbook/read', 'extract', '$0.002 a page with text'),
      row(MODEL, 'answer', '$0.01 a call', ofAnswers),
    ]);
  });

  it.each([
    [{ request: '0' }, 'free', { free: true }],
    [{ request: '-1' }, 'depends on use'],
    [
      { request: '-1', perMillionInputTokens: '1', perMillionOutputTokens: '5', perSearch: '0.01' },
      'depends on use: $1 per 1M input tokens, $5 per 1M output tokens, $0.01 a search',
    ],
    [{ request: '0.001', perResult: '0.002' }, '$0.001 a call, $0.002 a result', { includedResults: 0, resultStep: 1 }],
    [
      { request: '0.001', perResult: '0.002' },
      '$0.001 a call, $0.002 a result beyond 10 in steps of 10',
      { includedResults: 10, resultStep: 10 },
    ],
  ])('names the price %j as %j', async (pricing, price, results?: object) => {
    const { gateway } = openStage();
    const models: Gateway['models'] = (filter) =>
      gateway.models(filter).map((entry) => ({ ...entry, ...results, pricing: { unit: 'USD', ...pricing } }));
    const stage = openStage({ gateway: { ...gateway, models } });
    expect((await stage.call('viewer', 'GET', '/api/v1/models')).json.data[0]).toMatchObject({ price });
  });
});
