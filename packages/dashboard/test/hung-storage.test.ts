import { memoryApiKeys, memoryLedger } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import { memoryAuditLog, memoryRequestLog } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { delivered, MODEL, NOW_MS, openStage, removePages } from './stage.js';
import { memoryVault, withVault } from './with-vault.js';

removePages();

const READ = /^(find|get|list|entries|usage|statistics|organizations|.*Totals$)/;

/** A port of which only the named operations answer. */
function hung<Port extends object>(port: Port, answers: (name: string) => boolean): Port {
  const entries = Object.entries(port).map(([name, operation]: [string, unknown]) => [
    name,
    answers(name) ? operation : () => new Promise<never>(() => undefined),
  ]);
  return Object.fromEntries(entries) as Port;
}

/** A dashboard over ports of which only some operations answer; its clock goes on only by `advance`. */
async function open(answers: (name: string) => boolean) {
  const clock = createFakeClock(NOW_MS);
  const ports = {
    ledger: memoryLedger({ clock }),
    apiKeys: memoryApiKeys(),
    requestLog: memoryRequestLog(),
    auditLog: memoryAuditLog(),
  };
  const { apiKeys, budgets } = createAdministration({ ...ports, clock });
  const { key } = await apiKeys.create({ organizationId: 'acme', label: 'a' });
  await budgets.set('acme', { id: 'team', limit: '5.00' });
  const vault = memoryVault(['handbook'], clock.now);
  await vault.set('acme', 'handbook', 'k');
  const plain = createAdministration({
    ledger: hung(ports.ledger, answers),
    apiKeys: hung(ports.apiKeys, answers),
    requestLog: hung(ports.requestLog, answers),
    auditLog: hung(ports.auditLog, answers),
    clock,
  });
  const administration = withVault(plain, hung(vault, answers));
  const stage = openStage({ administration, clock, house: { organizationId: 'house' } });
  const { json } = await stage.call('operator', 'GET', '/api/v1/openapi.json');
  const routes = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path: `/api/v1${path}`, method: method.toUpperCase() })),
  );
  expect(routes.length).toBeGreaterThan(25);
  const ids: Record<string, string> = { organizations: 'acme', keys: key.id, requests: 'request_1' };
  const call = ({ path, method }: (typeof routes)[number]) => {
    const body = { json: method === 'DELETE' ? {} : (BODIES[path.replace(/^\/api\/v1\//, '')] ?? {}) };
    const query = /usage/.test(path) ? 'by=model' : /statistics/.test(path) ? SINCE : '';
    const id = ids[path.split('/')[3] ?? ''] ?? '';
    return stage.call(
      'operator',
      method,
      path.replace('{id}', id).replace('{budget}', 'team').replace('{provider}', 'handbook'),
      method === 'GET' ? { query } : body,
    );
  };
  return { clock, stage, routes, call };
}

const SINCE = 'since=2026-11-20T00:00:00Z';
const BODIES: Readonly<Record<string, object>> = {
  organizations: { id: 'initech' },
  'organizations/{id}/grant': { amount: '1', grant_id: 'g' },
  'organizations/{id}/budgets/{budget}': { limit: '1' },
  'organizations/{id}/tenant-keys/{provider}': { api_key: 'k' },
  'organizations/{id}/adjust': { amount: '-1', note: '', adjustment_id: 'a' },
  keys: { organization_id: 'acme', label: 'new' },
  'ask/answer': { model: MODEL, query: 'When?' },
};
/** Paths that ask no storage, or say how it is. */
const OF_MEMORY = ['/api/v1/session', '/api/v1/models', '/api/v1/health'];
const deadlineOf = (method: string) => (method === 'GET' ? 10_000 : 30_000);
const ASK = { path: '/api/v1/ask/answer', method: 'POST' };
const UNKNOWN = 'The storage has not answered in time. The change may have been made, or may still be: ';

describe('a storage that hangs', () => {
  it('is a 503 at every route: after 10 s at reads, after 30 s at changes', async () => {
    const { clock, routes, call } = await open(() => false);
    for (const route of [...routes, ASK]) {
      const answer = call(route);
      await delivered();
      await clock.advance(deadlineOf(route.method));
      const { status, json } = await answer;
      const message = route.method !== 'GET' ? UNKNOWN : 'The storage has not answered in time.';
      const failed = { status: 503, json: { error: { field: null, message: expect.stringContaining(message) } } };
      const wanted = OF_MEMORY.includes(route.path) ? { status: 200 } : failed;
      expect({ route, status, json }).toMatchObject({ route, ...wanted });
    }
  });

  it('is a 503 that names the unknown outcome at every change, where only writes hang', async () => {
    const { clock, routes, call } = await open((name) => READ.test(name));
    for (const route of routes.filter(({ method }) => method !== 'GET')) {
      const answer = call(route);
      await delivered();
      await clock.advance(deadlineOf(route.method));
      const { status, json } = await answer;
      expect([route, status, json.error.message]).toEqual([route, 503, expect.stringContaining(UNKNOWN)]);
    }
  });
});
