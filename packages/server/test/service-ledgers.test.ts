import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@searchgate/core';
import { startPgbouncer, startPostgres, startRedis } from '@searchgate-internal/test-servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../src/service.js';
import { adminShell } from './kit/admin-shell.js';

const SLOW_MS = 30_000;

interface Engine {
  readonly address: string;
  stop(): Promise<void>;
}

/** Tests of an unavailable engine are skipped with this reason. */
const ENGINES: Readonly<Record<string, (folder: string) => Promise<Engine | { readonly reason: string }>>> = {
  SQLite: async (folder) => ({ address: `sqlite:${join(folder, 'data', 'money.db')}`, stop: async () => {} }),
  async PostgreSQL() {
    const server = await startPostgres();
    return { address: await server.createDatabase(), stop: () => server.stop() };
  },
  async 'PostgreSQL behind a PgBouncer in transaction mode'() {
    const server = await startPostgres();
    const pgbouncer = await startPgbouncer({ serverUrl: server.url });
    if ('reason' in pgbouncer) {
      await server.stop();
      return pgbouncer;
    }
    const stop = async () => {
      await pgbouncer.stop();
      await server.stop();
    };
    return { address: pgbouncer.through(await server.createDatabase()), stop };
  },
  async Redis() {
    const server = await startRedis({ ownServer: true });
    return 'reason' in server ? server : { address: server.url, stop: () => server.stop() };
  },
};

describe.each(Object.entries(ENGINES))('the service on %s', { timeout: SLOW_MS }, (_, start) => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-service-'));
  const { id, secret } = generateApiKey();
  let engine: Engine | undefined;
  let unavailable = '';

  beforeAll(async () => {
    const started = await start(folder);
    if ('reason' in started) unavailable = started.reason;
    else engine = started;
    writeFileSync(join(folder, 'guide.md'), '# Guide\n\nThe shop opens at nine.');
    configure('1.00');
  }, SLOW_MS);
  afterAll(async () => {
    await engine?.stop();
    rmSync(folder, { recursive: true });
  });

  function configure(limit: string): void {
    const apiKeys = [{ secret, label: 'service', organizationId: 'acme', limit, limitReset: 'monthly' }];
    const config = { organizations: [{ id: 'acme', credits: '5.00' }], apiKeys };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, limits: { keyCacheMaxAgeMs: 200 } }));
  }

  const startService = (address: string): Promise<Service> =>
    createService({
      SEARCHGATE_LEDGER: address,
      SEARCHGATE_CONFIG: join(folder, 'config.json'),
      SEARCHGATE_DOCS_DIR: folder,
      SEARCHGATE_LOG_LEVEL: 'silent',
    });

  const askOnce = ({ gateway }: Service) =>
    gateway.answer({ apiKey: secret, model: 'local/docs', query: 'When does the shop open?' });

  it('keeps credits, keys and usage over restarts, and grants nothing twice', async ({ skip }) => {
    if (engine === undefined) return skip(unavailable);
    const { address } = engine;
    // Two instances may start at once on an empty ledger.
    const [first, second] = await Promise.all([startService(address), startService(address)]);
    await Promise.all([askOnce(first), askOnce(second)]);
    expect(await first.gateway.key({ apiKey: secret })).toMatchObject({ label: 'service', usage: 0.002, limit: 1 });
    await Promise.all([first.close(), second.close()]);

    configure('2.00');
    const again = await startService(address);
    expect(await again.gateway.credits({ apiKey: secret })).toEqual({ totalCredits: 5, totalUsage: 0.002 });
    expect(await again.gateway.key({ apiKey: secret })).toMatchObject({
      usage: 0.002,
      limit: 2,
      limitRemaining: 1.998,
    });
    await again.close();
  });

  it('is administered by another process while it runs', async ({ skip }) => {
    if (engine === undefined) return skip(unavailable);
    const service = await startService(engine.address);
    const admin = adminShell(engine.address);
    await askOnce(service);
    expect((await admin('usage', '--by', 'key', '--json')).json()).toMatchObject([{ group: id, charges: 3 }, {}]);
    expect((await admin('ledger', 'verify', '--json')).json()).toEqual({
      organizations: 1,
      keys: 1,
      budgets: 0,
      entries: 4,
      openHolds: 0,
      differences: [],
    });
    expect((await admin('entries', 'export', '--json', '--key', id)).stdout.trimEnd().split('\n')).toHaveLength(3);
    expect((await admin('keys', 'revoke', id)).code).toBe(0);
    const reasonNow = () => service.gateway.key({ apiKey: secret }).catch(({ reason }: { reason: string }) => reason);
    await expect.poll(reasonNow, { timeout: SLOW_MS }).toBe('revoked_api_key');
    await service.close();
  });
});
