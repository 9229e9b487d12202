import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from './service.js';

const secret = 'sg_a_key_of_the_service_tests';

describe('createService', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-service-'));
  const environment = {
    SEARCHGATE_DOCS_DIR: folder,
    SEARCHGATE_LEDGER: 'memory',
    SEARCHGATE_LOG_LEVEL: 'silent',
    SEARCHGATE_CONFIG: join(folder, 'config.json'),
  };
  beforeAll(() => {
    writeFileSync(join(folder, 'guide.md'), 'No heading here, but an opening at nine.');
    const config = {
      organizations: [{ id: 'acme', credits: '5.00' }],
      apiKeys: [{ secret, label: 'service', organizationId: 'acme', limit: '1.00' }],
    };
    writeFileSync(environment.SEARCHGATE_CONFIG, JSON.stringify(config));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('builds a service from the configuration, and prints no secret', async () => {
    const service = await createService(environment);
    expect(await service.gateway.credits({ apiKey: secret })).toEqual({ totalCredits: 5, totalUsage: 0 });
    expect(await service.gateway.key({ apiKey: secret })).toMatchObject({ label: 'service', limit: 1 });
    expect(service.notice('http://127.0.0.1:3000')).not.toContain(secret);
    await service.close();
  });

  it('refuses calls once it is closed', async () => {
    const service = await createService(environment);
    expect(service.isClosing()).toBe(false);
    await service.close();
    expect(service.isClosing()).toBe(true);
    const asking = service.gateway.answer({ apiKey: secret, model: 'local/docs', query: 'When?' });
    await expect(asking).rejects.toMatchObject({ reason: 'shutting_down' });
  });

  it('refuses trusted proxies from both file and environment', async () => {
    const config = join(folder, 'proxies.json');
    const apiKeys = [{ secret, label: 'service', organizationId: 'acme', limit: '1.00' }];
    writeFileSync(config, JSON.stringify({ trustProxy: 1, organizations: [{ id: 'acme', credits: '5.00' }], apiKeys }));
    const named = { ...environment, SEARCHGATE_CONFIG: config };
    await (await createService(named)).close();
    await expect(createService({ ...named, SEARCHGATE_TRUST_PROXY: '10.0.0.0/8' })).rejects.toThrow(
      'trustProxy: found a value, expected nothing: SEARCHGATE_TRUST_PROXY in the environment sets it.',
    );
  });

  it('requires a key on a ledger in memory', async () => {
    const config = join(folder, 'no-keys.json');
    writeFileSync(config, JSON.stringify({ markup: '1.1' }));
    const building = createService({ ...environment, SEARCHGATE_CONFIG: config });
    await expect(building).rejects.toThrow('apiKeys: found no keys, expected at least one key');
    const durable = {
      ...environment,
      SEARCHGATE_CONFIG: config,
      SEARCHGATE_LEDGER: `sqlite:${join(folder, 'money.db')}`,
    };
    await (await createService(durable)).close();
  });

  it('reports a ledger that cannot be used', async () => {
    const ledger = { ...environment, SEARCHGATE_LEDGER: `sqlite:${folder}` };
    await expect(createService(ledger)).rejects.toThrow(
      /^SEARCHGATE_LEDGER: found .* \(EISDIR: .*\), expected a SQLite file this user may read and write\.$/m,
    );
    const notOurs = join(folder, 'text.db');
    writeFileSync(notOurs, 'no database '.repeat(100));
    await expect(createService({ ...ledger, SEARCHGATE_LEDGER: `sqlite:${notOurs}` })).rejects.toThrow(
      /^SEARCHGATE_LEDGER: found .*text\.db \(file is not a database\), expected a SQLite file/,
    );
  });

  it('reports an unreachable server, without the password', async () => {
    const building = createService({
      ...environment,
      SEARCHGATE_LEDGER: 'postgres://u:hunter2@127.0.0.1:1/money',
    });
    await expect(building).rejects.toThrow(
      'SEARCHGATE_LEDGER: found postgres://127.0.0.1:1/money (connect ECONNREFUSED 127.0.0.1:1), expected a PostgreSQL server that answers.',
    );
  });

  it('refuses a configuration it cannot apply, and frees the ledger again', async () => {
    const ledger = `sqlite:${join(folder, 'applied.db')}`;
    await (await createService({ ...environment, SEARCHGATE_LEDGER: ledger })).close();
    const moved = join(folder, 'moved.json');
    const apiKeys = [{ secret, label: 'service', organizationId: 'globex', limit: '1.00' }];
    writeFileSync(moved, JSON.stringify({ organizations: [{ id: 'globex', credits: '5.00' }], apiKeys }));
    const building = createService({ ...environment, SEARCHGATE_LEDGER: ledger, SEARCHGATE_CONFIG: moved });
    await expect(building).rejects.toThrow('apiKeys[0].organizationId: found "globex", expected "acme"');
    await (await createService({ ...environment, SEARCHGATE_LEDGER: ledger })).close();
  });

  it('reports a documents folder that cannot be used', async () => {
    const building = createService({ ...environment, SEARCHGATE_DOCS_DIR: join(folder, 'missing') });
    await expect(building).rejects.toThrow(
      /SEARCHGATE_DOCS_DIR: found ".*missing", expected a folder of Markdown files/,
    );
  });
});
