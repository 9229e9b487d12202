import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { requestOf } from '../../test/ask-over-http.js';
import { bodyText } from '../../test/body-text.js';
import { failure, KEY, OUTCOME, scripted, start } from '../../test/scripted-gateway.js';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import type { GatewayOptions } from '../gateway-options.js';
import { memoryLedger } from '../ledger/memory-ledger.js';

const OTHER_KEY = 'another-secret-of-twenty';
const DAY_MS = 86_400_000;
const TODAY_MS = Date.UTC(2026, 10, 21, 12);

function setUp(replies: Parameters<typeof scripted>[1] = [OUTCOME], options: Partial<GatewayOptions> = {}) {
  const clock = createFakeClock(TODAY_MS);
  const ledger = memoryLedger({ credits: { acme: '10' }, clock });
  const { gateway } = start([scripted('exa', replies).provider, scripted('zed', replies).provider], {
    ledger,
    clock,
    endpoints: { usage: true },
    ...options,
  });
  const send = async (method: string, path: string, body?: object, apiKey = KEY) => {
    const [pathname = '', query = ''] = path.split('?');
    const response = await gateway.handle({ ...requestOf(pathname, { method, apiKey, body }), query });
    return { status: response?.status, body: JSON.parse(bodyText(response) || 'null') as Record<string, unknown> };
  };
  const ask = (model: string, more: object = {}, apiKey = KEY) =>
    send('POST', 'answer', { model, query: 'When?', ...more }, apiKey);
  return { clock, ledger, gateway, ask, get: (path: string) => send('GET', path) };
}

describe('GET /usage', () => {
  it('sums up what the key has spent, by day, model and tag', async () => {
    const { clock, ask, get } = setUp();
    await ask('exa/answer', { tag: 'team-a' });
    await clock.advance(DAY_MS);
    await ask('exa/answer', { tag: 'team b' });
    await ask('zed/answer');
    const total = { requests: 3, cost: 0.015 };
    expect((await get('usage?by=day')).body).toEqual({
      data: [
        { day: '2026-11-21', requests: 1, cost: 0.005 },
        { day: '2026-11-22', requests: 2, cost: 0.01 },
      ],
      total,
    });
    expect((await get('usage?by=model')).body).toEqual({
      data: [
        { model: 'exa/answer', requests: 2, cost: 0.01 },
        { model: 'zed/answer', requests: 1, cost: 0.005 },
      ],
      total,
    });
    expect((await get('usage?by=tag')).body).toEqual({
      data: [
        { tag: 'team b', requests: 1, cost: 0.005 },
        { tag: 'team-a', requests: 1, cost: 0.005 },
        { tag: null, requests: 1, cost: 0.005 },
      ],
      total,
    });
  });

  it('sums up what the key alone has spent in each budget, and an answer in several budgets once in the total', async () => {
    const team = { organizationId: 'acme', id: 'team', limit: '1' };
    const key = { label: 'demo', organizationId: 'acme', budgets: ['team'] };
    const apiKeys = memoryApiKeys(
      [
        { ...key, apiKey: KEY, id: 'key' },
        { ...key, apiKey: OTHER_KEY, id: 'other', budgets: ['team', 'theirs'] },
      ],
      { budgets: [team, { ...team, id: 'user' }, { ...team, id: 'theirs' }] },
    );
    const { ask, get } = setUp([OUTCOME], { apiKeys, keyCacheMaxAgeMs: 0 });
    await ask('exa/answer', {}, OTHER_KEY);
    await ask('exa/answer');
    await apiKeys.updateKey('key', { budgets: ['user', 'team'] });
    await ask('exa/answer');
    await apiKeys.updateKey('key', { budgets: [] });
    await ask('exa/answer');
    expect((await get('usage?by=budget')).body).toEqual({
      data: [
        { budget: 'team', requests: 2, cost: 0.01 },
        { budget: 'user', requests: 1, cost: 0.005 },
        { budget: null, requests: 1, cost: 0.005 },
      ],
      total: { requests: 3, cost: 0.015 },
    });
  });

  it('covers the requested days, both included, and thirty days by default', async () => {
    const { clock, ask, get } = setUp();
    await ask('exa/answer');
    await clock.advance(30 * DAY_MS);
    await ask('exa/answer');
    const requests = async (query: string) => (await get(`usage?by=day&${query}`)).body['total'];
    expect(await requests('')).toEqual({ requests: 1, cost: 0.005 });
    expect(await requests('from=2026-11-21&to=2026-12-21')).toEqual({ requests: 2, cost: 0.01 });
    expect(await requests('from=2026-11-21&to=2026-11-21')).toEqual({ requests: 1, cost: 0.005 });
    expect(await requests('to=2026-11-20')).toEqual({ requests: 0, cost: 0 });
  });

  it('equals the usage of the key after a correction', async () => {
    const { ledger, ask, get } = setUp();
    await ask('exa/answer');
    const adjustment = { adjustmentId: 'a', organizationId: 'acme', keyId: 'key', amount: -2_000_000n, note: '' };
    await ledger.adjust(adjustment);
    expect((await get('usage?by=model')).body).toEqual({
      data: [
        { model: 'exa/answer', requests: 1, cost: 0.005 },
        { model: null, requests: 0, cost: -0.002 },
      ],
      total: { requests: 1, cost: 0.003 },
    });
    expect((await get('key')).body).toMatchObject({ usage: 0.003 });
  });

  it.each([
    ['', 'by'],
    ['by=key', 'by'],
    ['by=day&by=model', 'by'],
    ['by=day&from=yesterday', 'from'],
    ['by=day&from=2026-02-30', 'from'],
    ['by=day&to=2026-11-21T00:00:00Z', 'to'],
    ['by=day&from=1969-12-31', 'from'],
    ['by=day&from=2026-11-21&to=2026-11-20', 'to'],
    ['by=day&from=2026-11-22', 'from'],
    ['by=day&from=2025-11-21&to=2026-11-22', 'from'],
  ])('refuses ?%s', async (query, param) => {
    const { status, body } = await setUp().get(`usage?${query}`);
    expect({ status, ...body }).toMatchObject({ status: 400, error: { reason: 'invalid_parameter', param } });
  });

  it('takes 366 days', async () => {
    expect((await setUp().get('usage?by=day&from=2025-11-21&to=2026-11-21')).status).toBe(200);
  });

  it('takes the last day that a date can name', async () => {
    const { ask, get } = setUp();
    await ask('exa/answer');
    const nothing = { data: [], total: { requests: 0, cost: 0 } };
    for (const by of ['day', 'model'])
      expect(await get(`usage?by=${by}&from=9999-12-30&to=9999-12-31`)).toEqual({ status: 200, body: nothing });
  });

  it('answers 503 where the ledger has no sums', async () => {
    const { ledger, get } = setUp();
    ledger.usage = () => Promise.reject(new Error('db1.internal'));
    expect(await get('usage?by=day')).toMatchObject({ status: 503, body: { error: { reason: 'ledger_unavailable' } } });
  });

  it('refuses a third reading of one organization while two are under way', async () => {
    const { ledger, get } = setUp();
    const waiting: (() => void)[] = [];
    ledger.usage = () => new Promise((resolve) => waiting.push(() => resolve([])));
    const first = [get('usage?by=day'), get('usage?by=day')];
    await expect.poll(() => waiting.length).toBe(2);
    expect(await get('usage?by=day')).toMatchObject({ status: 503, body: { error: { reason: 'overloaded' } } });
    for (const end of waiting) end();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('GET /answers/{id}', () => {
  it('shows the status and the cost of an answer', async () => {
    const { ask, get } = setUp();
    const { id } = (await ask('exa/answer')).body as { id: string };
    expect(await get(`answers/${id}`)).toEqual({
      status: 200,
      body: {
        id,
        status: 'charged',
        model: 'exa/answer',
        provider: 'exa',
        cost: 0.005,
        created_at: '2026-11-21T12:00:00Z',
        ended_at: '2026-11-21T12:00:00Z',
      },
    });
  });

  it('shows an answer in flight, and a failed answer', async () => {
    const ids: string[] = [];
    let fail: (error: Error) => void = () => undefined;
    const { ledger, ask, get } = setUp([() => new Promise((_resolve, reject) => void (fail = reject))]);
    const { hold } = ledger;
    ledger.hold = (request) => {
      ids.push(request.holdId);
      return hold(request);
    };
    const asked = ask('exa/answer', { routing: { fallbacks: [] } });
    await expect.poll(() => ids.length).toBe(1);
    const held = (await get(`answers/${ids[0]}`)).body;
    expect(held).toMatchObject({ status: 'held', model: 'exa/answer', provider: null, cost: 0, ended_at: null });
    await expect.poll(() => fail.length).toBe(1);
    fail(failure('query_rejected'));
    expect((await asked).status).toBe(400);
    expect((await get(`answers/${ids[0]}`)).body).toMatchObject({ status: 'released', cost: 0 });
  });

  it('finds no answer of another key or of a wrong id', async () => {
    const { ledger, get } = setUp();
    const other = { organizationId: 'acme', keyId: 'other', keyLimit: null, amount: 1n, expiresAtMs: 1, model: 'm' };
    await ledger.hold({ ...other, holdId: 'ans_other' });
    for (const id of ['ans_other', 'ans_unknown', '', 'a/b', '%20', 'x'.repeat(200)]) {
      expect(await get(`answers/${id}`)).toMatchObject({
        status: 404,
        body: { error: { reason: 'answer_not_found' } },
      });
    }
  });
});
