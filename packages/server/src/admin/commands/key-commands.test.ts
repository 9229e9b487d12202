import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashApiKey } from '@searchgate/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../../test/kit/admin-ledger.js';

describe('orgs and keys', () => {
  let admin: AdminLedger;
  beforeEach(async () => {
    admin = await createAdminLedger();
  });
  afterEach(() => {
    admin.remove();
  });

  it('makes an organization, grants it credits, and lists both', async () => {
    expect((await admin.run('orgs', 'create', 'acme', '--name', 'Acme Inc.')).stdout).toContain(
      'Organization acme is there.',
    );
    const granted = await admin.run(
      'credits',
      'grant',
      '--org',
      'acme',
      '--amount',
      '25.00',
      '--id',
      'invoice-7',
      '--json',
    );
    expect(granted.json()).toEqual({
      grantId: 'invoice-7',
      applied: true,
      organizationIsNew: false,
      organizationId: 'acme',
      credits: '25',
      usage: '0',
      held: '0',
    });
    const again = await admin.run('credits', 'grant', '--org', 'acme', '--amount', '25.00', '--id', 'invoice-7');
    expect(again).toMatchObject({
      code: 0,
      stdout: 'invoice-7 was granted before, so nothing changed for acme: $25.00 credits, $0.00 used.\n',
    });
    const [title, row] = (await admin.run('orgs', 'list')).stdout.split('\n');
    expect(title).toMatch(/^id {4}name {7}state {3}credits {3}used {3}held {4}left {2}rate {2}at once {2}created$/);
    expect(row).toMatch(
      /^acme {2}Acme Inc. {2}active {3}\$25.00 {2}\$0.00 {2}\$0.00 {2}\$25.00 {2}none {5}none {2}20\d\d-/,
    );
  });

  it('says that an organization already exists and keeps its limits', async () => {
    await admin.run('orgs', 'create', 'acme');
    const again = await admin.run('orgs', 'create', 'acme', '--rate', '60/1m');
    expect(again.stdout).toMatch(/^Organization acme was there already\. Change it with: orgs update acme$/m);
    expect(again.stdout).toMatch(/^ {2}rate {5}none$/m);
  });

  it('takes a grant back once, and shows why', async () => {
    await admin.run('orgs', 'create', 'acme');
    await admin.run('credits', 'grant', '--org', 'acme', '--amount', '25.00', '--id', 'invoice-7');
    await admin.run('credits', 'grant', '--org', 'acme', '--amount', '5.00', '--id', 'invoice-8');
    const revoke = () => admin.run('credits', 'revoke', 'invoice-7', '--org', 'acme', '--note', 'bounced');
    expect((await revoke()).stdout).toBe(
      'Revoked the grant invoice-7 of $25.00 to acme: $30.00 credits, $25.00 used.\n',
    );
    expect((await revoke()).stdout).toMatch(/^invoice-7 was revoked before, so nothing changed for acme/);
    expect((await admin.run('entries', 'export', '--json')).stdout).toContain('revokes the grant invoice-7: bounced');
    const unknown = await admin.run('credits', 'revoke', 'invoice-9', '--org', 'acme');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('expected the id of a grant to acme')]);
    expect((await admin.run('ledger', 'verify')).code).toBe(0);
  });

  it('prints the secret of a key once, and stores it nowhere', async () => {
    const { secret, id } = await admin.makeKey(
      '--limit',
      '5.00',
      '--reset',
      'monthly',
      '--models',
      'exa/answer,local/docs',
    );
    expect(secret).toMatch(/^sg_[0-9a-f]{12}_[\w-]{43}$/);
    const shown = await admin.run('keys', 'show', id);
    expect(shown.stdout).toMatch(/^ {2}limit {9}\$5\.00 monthly$/m);
    expect(shown.stdout).toMatch(/^ {2}models {8}exa\/answer, local\/docs$/m);
    const listed = await admin.run('keys', 'list', '--json');
    expect(listed.json()).toEqual([
      {
        id,
        organizationId: 'acme',
        label: 'ci',
        limit: '5',
        limitReset: 'monthly',
        allowedModels: ['exa/answer', 'local/docs'],
        budgets: [],
        domains: null,
        rateLimit: null,
        maxConcurrent: null,
        createdAt: expect.stringMatching(/^20.*Z$/),
        expiresAt: null,
        revokedAt: null,
        usage: '0',
        held: '0',
        windowUsage: '0',
      },
    ]);
    for (const { stdout } of [shown, listed]) expect(stdout).not.toMatch(new RegExp(`${secret}|${hashApiKey(secret)}`));
    for (const name of readdirSync(admin.folder))
      expect(readFileSync(join(admin.folder, name)).includes(secret)).toBe(false);
  });

  it('changes the given fields of a key and leaves the rest', async () => {
    const { id } = await admin.makeKey('--limit', '5.00', '--reset', 'weekly', '--expires', '2030-01-01');
    await admin.run('keys', 'update', id, '--limit', '7.50', '--expires', 'never', '--models', 'local/docs');
    expect((await admin.run('keys', 'show', id, '--json')).json()).toMatchObject({
      label: 'ci',
      limit: '7.5',
      limitReset: 'weekly',
      expiresAt: null,
      allowedModels: ['local/docs'],
    });
    const half = await admin.run('keys', 'update', id, '--limit', 'none');
    expect([half.code, half.stderr]).toEqual([1, expect.stringContaining('--reset never')]);
    await admin.run('keys', 'update', id, '--limit', 'none', '--reset', 'never', '--models', 'all', '--label', 'build');
    expect((await admin.run('keys', 'show', id, '--json')).json()).toMatchObject({
      label: 'build',
      limit: null,
      limitReset: null,
      allowedModels: null,
    });
  });

  it('sets, shows and removes limits of rate and concurrency of keys', async () => {
    const { id } = await admin.makeKey('--limit', 'none', '--rate', '60/1m', '--concurrency', '4');
    const shown = await admin.run('keys', 'show', id);
    expect(shown.stdout).toMatch(/^ {2}rate {10}60\/1m$/m);
    expect(shown.stdout).toMatch(/^ {2}at once {7}4$/m);
    expect((await admin.run('keys', 'list')).stdout).toMatch(/ 60\/1m {8}4 {2}none {5}never$/m);
    await admin.run('keys', 'update', id, '--rate', '1000/1d', '--concurrency', 'none');
    expect((await admin.run('keys', 'show', id, '--json')).json()).toMatchObject({
      rateLimit: { requests: 1_000, periodMs: 86_400_000 },
      maxConcurrent: null,
    });
    const unlimited = await admin.run('keys', 'update', id, '--rate', 'none', '--json');
    expect(unlimited.json()).toMatchObject({ rateLimit: null });
  });

  it('sets, shows and removes limits of rate and concurrency of organizations', async () => {
    await admin.run('orgs', 'create', 'acme', '--rate', '90/90s', '--concurrency', '40');
    const shown = await admin.run('orgs', 'show', 'acme');
    expect(shown.stdout).toMatch(/^ {2}rate {5}90\/90s$/m);
    expect(shown.stdout).toMatch(/^ {2}at once {2}40$/m);
    expect((await admin.run('orgs', 'list')).stdout).toMatch(/ 90\/90s {7}40 {2}20/);
    const updated = await admin.run('orgs', 'update', 'acme', '--rate', '600/1h', '--name', 'Acme Inc.');
    expect(updated.stdout).toMatch(/^Organization acme is changed, in every process within seconds\.$/m);
    expect((await admin.run('orgs', 'show', 'acme', '--json')).json()).toMatchObject({
      name: 'Acme Inc.',
      rateLimit: { requests: 600, periodMs: 3_600_000 },
      maxConcurrent: 40,
      credits: '0',
    });
    const unlimited = await admin.run('orgs', 'update', 'acme', '--rate', 'none', '--concurrency', 'none', '--json');
    expect(unlimited.json()).toMatchObject({ rateLimit: null, maxConcurrent: null });
    expect((await admin.run('orgs', 'update', 'acme')).stdout).toContain('Organization acme is as it was.');
  });

  it('revokes keys and suspends organizations', async () => {
    const { id, secret } = await admin.makeKey('--limit', 'none');
    await admin.run('keys', 'revoke', id);
    expect((await admin.run('keys', 'list', '--org', 'acme')).stdout).toMatch(new RegExp(`^${id} .* revoked `, 'm'));
    await admin.run('orgs', 'suspend', 'acme');
    expect((await admin.run('orgs', 'list')).stdout).toMatch(/^acme .* suspended /m);
    const found = await admin.use(({ apiKeys }) => apiKeys.findByHash(hashApiKey(secret)));
    expect(found).toMatchObject({ organizationSuspended: true });
    expect((await admin.run('orgs', 'resume', 'acme', '--json')).json()).toMatchObject({ suspendedAt: null });
  });
});
