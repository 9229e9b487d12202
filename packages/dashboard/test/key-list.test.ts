import { createAdministration } from '@searchgate/core/administration';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { openStage, removePages, type Stage, spend, type User } from './stage.js';

removePages();

const DAY_MS = 86_400_000;

async function listed(stage: Stage, query: string, user: User = 'viewer') {
  const { status, json } = await stage.call(user, 'GET', '/api/v1/keys', { query });
  expect(status).toBe(200);
  const page = json as { data: { label: string }[]; next_cursor: string | null; is_cut: boolean };
  return { ...page, labels: page.data.map(({ label }) => label) };
}

/** Keys with all states, of which `b` was used thrice, and `a` once and last. */
async function sixKeys(): Promise<Stage> {
  const stage = openStage();
  const { apiKeys } = stage.administration;
  await spend(stage, 'acme', 3, 'b');
  await stage.clock.advance(1_000);
  await spend(stage, 'acme', 1, 'a');
  await stage.clock.advance(1_000);
  const at = (ms: number) => new Date(stage.clock.now() + ms).toISOString();
  await apiKeys.create({ organizationId: 'globex', label: 'Large', limit: '20.00' });
  await apiKeys.create({ organizationId: 'globex', label: 'small', limit: '3.00', expiresAt: at(10 * DAY_MS) });
  await apiKeys.create({ organizationId: 'globex', label: 'soon', expiresAt: at(5 * DAY_MS) });
  const { key } = await apiKeys.create({ organizationId: 'acme', label: 'gone' });
  await apiKeys.revoke(key.id);
  return stage;
}

describe('keys that are searched and sorted', () => {
  it.each([
    ['sort=label', ['Large', 'a', 'b', 'gone', 'small', 'soon']],
    ['sort=used&organization=acme', ['b', 'a', 'gone']],
    ['sort=limit&organization=globex', ['Large', 'small', 'soon']],
    ['sort=last_used&organization=acme', ['a', 'b', 'gone']],
    ['search=LARGE', ['Large']],
    ['search=globex&sort=label', ['Large', 'small', 'soon']],
    ['state=active&sort=label', ['Large', 'a', 'b', 'small', 'soon']],
    ['state=expiring', ['soon']],
    ['state=expired', []],
    ['state=revoked', ['gone']],
  ])('%s are %j', async (query, labels) => {
    expect(await listed(await sixKeys(), query)).toMatchObject({ labels, next_cursor: null, is_cut: false });
  });

  it('tell their last use, whatever a key of another organization calls', async () => {
    const stage = openStage();
    const { gateway, administration, ledger } = stage;
    const keyIds = [await spend(stage, 'globex', 1, 'quiet'), await spend(stage, 'acme', 1, 'flood')];
    await stage.clock.advance(1_000);
    const { rows } = await administration.requests!.find({});
    const [quiet, flood] = keyIds.map((id) => ({ ...rows.find(({ keyId }) => keyId === id)!, attempts: [] }));
    const log = memoryRequestLog();
    await log.append([
      quiet!,
      ...Array.from({ length: 6_000 }, (_, at) => ({ ...flood!, requestId: `req_${at}`, atMs: flood!.atMs + at })),
    ]);
    const { requests } = createAdministration({ ledger, requestLog: log });
    const { data } = await listed(
      openStage({ gateway, administration: { ...administration, requests } }),
      'sort=last_used',
    );
    expect(data).toMatchObject(
      ['flood', 'quiet'].map((label) => ({ label, last_used_at: expect.any(String) as string })),
    );
  });

  it('expire', async () => {
    const stage = await sixKeys();
    await stage.clock.advance(6 * DAY_MS);
    expect((await listed(stage, 'state=expired')).labels).toEqual(['soon']);
    expect((await listed(stage, 'state=expiring')).labels).toEqual(['small']);
  });

  it('are of the visible organizations alone, page by page', async () => {
    const stage = await sixKeys();
    expect((await listed(stage, 'sort=label', 'acmeViewer')).labels).toEqual(['a', 'b', 'gone']);
    const first = await listed(stage, 'sort=used&limit=2', 'twoOperator');
    expect(first).toMatchObject({ labels: ['b', 'a'], next_cursor: '2' });
    expect((await listed(stage, 'sort=used&limit=4&cursor=2', 'twoOperator')).data).toHaveLength(4);
  });

  it('are at most 1,000, and the answer says so', async () => {
    const stage = openStage();
    for (let index = 0; index < 1_001; index += 1)
      await stage.administration.apiKeys.create({ organizationId: 'acme', label: `key ${index}` });
    expect(await listed(stage, 'sort=label&limit=10')).toMatchObject({ is_cut: true, next_cursor: '10' });
    const { json } = await stage.call('viewer', 'GET', '/api/v1/organizations/acme');
    expect(json).toMatchObject({ keys: null });
  });

  it('are a download without formulas', async () => {
    const stage = await sixKeys();
    await stage.administration.apiKeys.create({ organizationId: 'acme', label: '=1+1' });
    const { headers, text } = await stage.call('acmeViewer', 'GET', '/api/v1/keys.csv', { query: 'state=active' });
    expect(headers['content-disposition']).toBe('attachment; filename="keys-2026-11-21.csv"');
    const [titles, first, second, third] = text.split('\r\n');
    expect(titles).toMatch(/^id,label,organization_id,usage,held,limit,limit_reset,last_used_at,/);
    expect(first).toMatch(/^sg_\w+,'=1\+1,acme,0,0,,,,2026-/);
    expect(second).toMatch(/^sg_\w+,a,acme,0.01,0,,,2026-11-21T12:00:01.000Z,/);
    expect(third).toMatch(/^sg_\w+,b,acme,0.03,0,/);
  });

  it.each([
    ['sort=price', 'sort'],
    ['state=lost', 'state'],
    ['sort=label&cursor=x', 'cursor'],
  ])('refuse %s', async (query, field) => {
    const { status, json } = await openStage().call('viewer', 'GET', '/api/v1/keys', { query });
    expect([status, json.error.field]).toEqual([400, field]);
  });
});
