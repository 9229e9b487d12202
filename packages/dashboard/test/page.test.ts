import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryApiKeys, memoryLedger } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import { describe, expect, it } from 'vitest';
import { buildDashboard, missingSlash } from '../src/create-dashboard.js';
import type { DashboardOptions } from '../src/dashboard-options.js';
import { createDashboard } from '../src/index.js';
import { openStage, plainRequest, removePages, USERS } from './stage.js';

removePages();

const POLICY = expect.stringMatching(
  /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/,
);
const SAFE = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

describe('the page', () => {
  it('is never cached, and its files are cached by the browser alone', async () => {
    const { call } = openStage();
    const headersOf = async (path: string) => (await call('viewer', 'GET', path)).headers;
    expect(await headersOf('/')).toEqual({
      ...SAFE,
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-length': '40',
    });
    expect(await headersOf('/assets/index-1a2b.css')).toMatchObject({
      ...SAFE,
      'cache-control': 'private, max-age=31536000, immutable',
      'content-type': 'text/css; charset=utf-8',
    });
    expect(await headersOf('/assets/index-1a2b.js')).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect(await headersOf('/api/v1/session')).toMatchObject({ ...SAFE, 'cache-control': 'no-store' });
  });

  it('has a length but no body for HEAD', async () => {
    const { call } = openStage();
    const { headers, text } = await call('viewer', 'HEAD', '/');
    expect([headers['content-length'], text]).toEqual(['40', '']);
  });

  it('is a logged error before it is built, and is read again later', async () => {
    const { gateway, administration } = openStage();
    const logged: string[] = [];
    const log = ({ error }: Record<string, unknown>) => void logged.push(String(error));
    const options = { gateway, administration, authorize: () => USERS.viewer, logger: { warn: log, error: log } };
    const dashboard = buildDashboard(options, join(mkdtempSync(join(tmpdir(), 'searchgate-page-')), 'none'));
    for (let time = 0; time < 2; time += 1) {
      expect(await dashboard.handle(plainRequest('viewer', 'GET', { path: '/' }))).toMatchObject({ status: 503 });
    }
    expect(logged).toEqual([expect.stringContaining('ENOENT')]);
  });
});

describe('missingSlash', () => {
  it.each([
    ['/', { originalUrl: '/search/admin' }, './admin/'],
    ['/', { originalUrl: '/search/admin/' }, undefined],
    ['/', { originalUrl: '/search/admin?a=/' }, './admin/'],
    ['', { url: 'https://host/search/admin' }, './admin/'],
    ['', { url: 'https://host' }, undefined],
    ['/', { url: '/' }, undefined],
    ['/', { originalUrl: '//evil.example' }, './evil.example/'],
    ['/', { originalUrl: '/javascript:alert(1)' }, './javascript:alert(1)/'],
    ['/api', { originalUrl: '/search/admin/api' }, undefined],
    ['', undefined, undefined],
    ['/', { url: 1 }, undefined],
  ])('of %j with %j is %j', (path, host, location) => {
    expect(missingSlash({ ...plainRequest(null, 'GET', { path }), host })).toBe(location);
  });
});

describe('authorize', () => {
  it.each([
    ['throws', () => fail('no session store')],
    ['rejects', () => Promise.reject(new Error('no session store'))],
    ['says nothing of the organizations', () => ({ role: 'viewer' })],
    ['names a role that there is not', () => ({ role: 'admin', organizations: 'all' })],
    ['says true', () => true],
  ])('is a logged 500 without details if it %s', async (_what, authorize) => {
    const { call, logged } = openStage({ authorize: authorize as never });
    for (const path of ['/', '/api/v1/session', '/nothing']) {
      expect(await call('operator', 'GET', path)).toEqual({
        status: 500,
        headers: { 'content-length': '0' },
        text: '',
      });
    }
    // One line of a kind in ten seconds.
    expect(logged).toHaveLength(1);
  });

  it('is a logged 500 without an answer within 10 s', async () => {
    const { call, clock, logged } = openStage({ authorize: () => new Promise(() => undefined) });
    const response = call('operator', 'GET', '/');
    await clock.advance(10_000);
    expect((await response).status).toBe(500);
    expect(logged).toEqual([expect.objectContaining({ message: expect.stringContaining('10000 ms') })]);
    expect(clock.pendingTimers).toBe(2); // The timer of the gateway, which sweeps holds, and that of the log.
  });

  it('is called for every request, with the host’s own request', async () => {
    const asked: unknown[] = [];
    const { dashboard } = openStage({
      authorize: ({ method, path, host }) => {
        asked.push([method, path, host]);
        return Promise.resolve(USERS.viewer);
      },
    });
    for (const path of ['/', '/assets/index-1a2b.js', '/api/v1/session', '/nothing']) {
      await dashboard.handle({ ...plainRequest(null, 'GET', { path }), host: { session: 7 } });
    }
    expect(asked).toEqual(
      ['/', '/assets/index-1a2b.js', '/api/v1/session', '/nothing'].map((path) => ['GET', path, { session: 7 }]),
    );
  });
});

describe('createDashboard', () => {
  const { gateway } = openStage();
  const administration = createAdministration({ ledger: memoryLedger(), apiKeys: memoryApiKeys() });
  const right: DashboardOptions = { gateway, administration, authorize: () => null };

  it.each<[object, string]>([
    [{ authorize: undefined }, 'authorize: found nothing, expected a function that says who may see the dashboard'],
    [{ authorize: true }, 'authorize'],
    [{ gateway: {} }, 'gateway'],
    [{ administration: undefined }, 'administration'],
    [{ house: { organizationId: 'house', limits: '1' } }, 'house.limits'],
    [{ house: { organizationId: 'house', limitReset: 'daily' } }, 'house.limitReset'],
    [{ answerUrl: 'https://other.example/api/v1/answer' }, 'answerUrl'],
    [{ answerUrl: '//other.example/api' }, 'answerUrl'],
    [{ answerUrl: '/\\other.example/api' }, 'answerUrl'],
    [{ logoutUrl: 'javascript:alert(1)' }, 'logoutUrl'],
    [{ autorize: () => null }, 'Did you mean "authorize"?'],
  ])('refuses %j at start', (change, message) => {
    expect(() => createDashboard({ ...right, ...change })).toThrow(message);
  });

  it('is a 404 after it is closed', async () => {
    const dashboard = createDashboard({ ...right, authorize: () => USERS.operator });
    expect(await dashboard.handle(plainRequest(null, 'GET', { path: '/api/v1/session' }))).toMatchObject({
      status: 200,
    });
    dashboard.close();
    dashboard.close();
    expect(await dashboard.handle(plainRequest(null, 'GET', { path: '/api/v1/session' }))).toMatchObject({
      status: 404,
    });
  });
});

function fail(message: string): never {
  throw new Error(message);
}
