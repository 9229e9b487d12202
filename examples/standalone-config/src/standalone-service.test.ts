import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStandaloneService } from './standalone-service.js';

const secret = 'sg_a_key_of_the_service_tests';

describe('createStandaloneService', () => {
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

  it('builds what the configuration says, and prints none of its secrets', async () => {
    const service = await createStandaloneService(environment);
    expect(await service.gateway.credits(secret)).toEqual({ totalCredits: 5, totalUsage: 0 });
    expect(await service.gateway.key(secret)).toMatchObject({ label: 'service', limit: 1 });
    expect(service.notice('http://127.0.0.1:3000')).not.toContain(secret);
    await service.close();
  });

  it('refuses calls once it is closed', async () => {
    const service = await createStandaloneService(environment);
    expect(service.isClosing()).toBe(false);
    await service.close();
    expect(service.isClosing()).toBe(true);
    const asking = service.gateway.answer({ apiKey: secret, model: 'local/docs', query: 'When?' });
    await expect(asking).rejects.toMatchObject({ reason: 'shutting_down' });
  });

  it('tells of a documents folder that cannot be used', async () => {
    const building = createStandaloneService({ SEARCHGATE_DOCS_DIR: join(folder, 'missing') });
    await expect(building).rejects.toThrow(
      /SEARCHGATE_DOCS_DIR: found ".*missing", expected a folder of Markdown files/,
    );
  });
});
