import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey } from '@searchgate/core';
import Database from 'libsql';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDurableLedger } from '../ledger/open-ledger.js';
import { type AdminResult, adminShell } from '../testing/admin-shell.js';

const log = { warn: () => undefined, error: () => undefined };

describe('npm run admin', () => {
  let folder = '';
  let file = '';
  let admin: (...argv: string[]) => Promise<AdminResult>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'searchgate-admin-'));
    file = join(folder, 'money.db');
    admin = adminShell(`sqlite:${file}`);
    await admin('ledger', 'migrate');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Charges a key of acme's, as a gateway does. */
  async function charge(keyId: string, cost: bigint, model = 'exa/answer'): Promise<void> {
    const { ledger, close } = await openDurableLedger({ engine: 'sqlite', file }, log);
    const { entries } = await ledger.entries();
    const holdId = `ans_${entries.length}`;
    const hold = { holdId, organizationId: 'acme', keyId, keyLimit: null, amount: cost, model };
    expect(await ledger.hold({ ...hold, expiresAtMs: Date.now() + 60_000 })).toEqual({ status: 'held' });
    await ledger.settle(holdId, { cost, model, provider: 'exa', costSource: 'flat' });
    await close();
  }

  async function makeKey(...options: string[]): Promise<{ secret: string; id: string }> {
    const made = await admin('keys', 'create', '--org', 'acme', '--label', 'ci', '--json', ...options);
    const { secret, key } = made.json() as { secret: string; key: { id: string } };
    return { secret, id: key.id };
  }

  it('makes the ledger ready, and again without harm', async () => {
    const ready = { code: 0, stdout: `${file} is ready for this version.\n`, stderr: '' };
    expect(await admin('ledger', 'migrate')).toMatchObject(ready);
  });

  it('makes an organization, gives it credits, and lists what it has', async () => {
    expect((await admin('orgs', 'create', 'acme', '--name', 'Acme Inc.')).stdout).toContain(
      'Organization acme is there.',
    );
    const granted = await admin(
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
    const again = await admin('credits', 'grant', '--org', 'acme', '--amount', '25.00', '--id', 'invoice-7');
    expect(again).toMatchObject({
      code: 0,
      stdout: 'invoice-7 was granted before, so nothing changed for acme: $25.00 credits, $0.00 used.\n',
    });
    const [title, row] = (await admin('orgs', 'list')).stdout.split('\n');
    expect(title).toMatch(/^id {4}name {7}state {3}credits {3}used {3}held {4}left {2}created$/);
    expect(row).toMatch(/^acme {2}Acme Inc. {2}active {3}\$25.00 {2}\$0.00 {2}\$0.00 {2}\$25.00 {2}20\d\d-/);
  });

  it('says where naming an organization made it', async () => {
    expect((await admin('credits', 'grant', '--org', 'acne', '--amount', '1')).stdout).toContain(
      'Organization acne was not known before.',
    );
    expect((await admin('keys', 'create', '--org', 'acne', '--label', 'x', '--limit', 'none')).stdout).not.toContain(
      'not known before',
    );
  });

  it('prints the secret of a key once, and nothing keeps it', async () => {
    const { secret, id } = await makeKey('--limit', '5.00', '--reset', 'monthly', '--models', 'exa/answer,local/docs');
    expect(secret).toMatch(/^sg_[0-9a-f]{12}_[\w-]{43}$/);
    const shown = await admin('keys', 'show', id);
    expect(shown.stdout).toMatch(/^ {2}limit {10}\$5\.00 monthly$/m);
    expect(shown.stdout).toMatch(/^ {2}models {9}exa\/answer, local\/docs$/m);
    const listed = await admin('keys', 'list', '--json');
    expect(listed.json()).toEqual([
      {
        id,
        organizationId: 'acme',
        label: 'ci',
        limit: '5',
        limitReset: 'monthly',
        allowedModels: ['exa/answer', 'local/docs'],
        createdAt: expect.stringMatching(/^20.*Z$/),
        expiresAt: null,
        revokedAt: null,
        usage: '0',
        held: '0',
        windowUsage: '0',
      },
    ]);
    for (const { stdout } of [shown, listed]) expect(stdout).not.toMatch(new RegExp(`${secret}|${hashApiKey(secret)}`));
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name)).includes(secret)).toBe(false);
  });

  it('changes what is given about a key and leaves the rest', async () => {
    const { id } = await makeKey('--limit', '5.00', '--reset', 'weekly', '--expires', '2030-01-01');
    await admin('keys', 'update', id, '--limit', '7.50', '--expires', 'never', '--models', 'local/docs');
    expect((await admin('keys', 'show', id, '--json')).json()).toMatchObject({
      label: 'ci',
      limit: '7.5',
      limitReset: 'weekly',
      expiresAt: null,
      allowedModels: ['local/docs'],
    });
    await admin('keys', 'update', id, '--limit', 'none', '--reset', 'never', '--models', 'all', '--label', 'build');
    expect((await admin('keys', 'show', id, '--json')).json()).toMatchObject({
      label: 'build',
      limit: null,
      limitReset: null,
      allowedModels: null,
    });
  });

  it('revokes keys and suspends organizations', async () => {
    const { id, secret } = await makeKey('--limit', 'none');
    await admin('keys', 'revoke', id);
    expect((await admin('keys', 'list', '--org', 'acme')).stdout).toMatch(new RegExp(`^${id} .* revoked `, 'm'));
    await admin('orgs', 'suspend', 'acme');
    expect((await admin('orgs', 'list')).stdout).toMatch(/^acme .* suspended /m);
    const { apiKeys, close } = await openDurableLedger({ engine: 'sqlite', file }, log);
    expect(await apiKeys.findByHash(hashApiKey(secret))).toMatchObject({ organizationSuspended: true });
    await close();
    expect((await admin('orgs', 'resume', 'acme', '--json')).json()).toMatchObject({ suspendedAt: null });
  });

  it('sums up what was charged, and exports every entry of it', async () => {
    await admin('credits', 'grant', '--org', 'acme', '--amount', '25.00', '--note', '=cmd, "x"', '--id', 'g-1');
    const { id } = await makeKey('--limit', 'none');
    await charge(id, 5_000_000n);
    await charge(id, 1_500_000n, 'local/docs');
    await admin(
      'credits',
      'adjust',
      '--org',
      'acme',
      '--key',
      id,
      '--amount',
      '-0.001',
      '--note',
      'sorry',
      '--id',
      'a-1',
    );

    expect((await admin('usage', '--by', 'model')).stdout.split('\n')).toEqual([
      'model       answers  charged  adjusted  granted   lost',
      'exa/answer        1   $0.005     $0.00    $0.00  $0.00',
      'local/docs        1  $0.0015     $0.00    $0.00  $0.00',
      '–                 0    $0.00   -$0.001   $25.00  $0.00',
      'in all            2  $0.0065   -$0.001   $25.00  $0.00',
      '',
    ]);
    const ofKey = await admin('usage', '--by', 'key', '--key', id, '--since', '2020-01-01', '--json');
    expect(ofKey.json()).toEqual([
      { group: id, charges: 2, charged: '0.0065', adjusted: '-0.001', granted: '0', lost: '0' },
    ]);
    expect((await admin('usage', '--until', '2020-01-01')).stdout).toBe('Nothing happened in that time.\n');

    const csv = await admin('entries', 'export');
    const lines = csv.stdout.split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toMatch(/,grant,g-1,acme,,25,,,,,,"'=cmd, ""x"""$/);
    expect(lines[2]).toMatch(new RegExp(`,charge,ans_1,acme,${id},0.005,exa/answer,exa,flat,false,,$`));
    expect(lines[4]).toMatch(new RegExp(`,adjustment,a-1,acme,${id},-0.001,,,,,,sorry$`));

    const output = join(folder, 'log.ndjson');
    const written = await admin('entries', 'export', '--format', 'ndjson', '--key', id, '--output', output);
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: `3 entries written to ${output}\n` });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const entries = readFileSync(output, 'utf8').trimEnd().split('\n');
    expect(entries.map((line) => (JSON.parse(line) as { amount: string }).amount)).toEqual([
      '0.005',
      '0.0015',
      '-0.001',
    ]);
  });

  it('exports more entries than fit on a page, each once', async () => {
    const { ledger, close } = await openDurableLedger({ engine: 'sqlite', file }, log);
    const ids = Array.from({ length: 1_005 }, (_, index) => `g-${index}`);
    await Promise.all(ids.map((grantId) => ledger.grant({ grantId, organizationId: 'acme', amount: 1n, note: '' })));
    await close();
    const { stdout } = await admin('entries', 'export', '--json');
    const exported = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(exported.sort()).toEqual(ids.sort());
  });

  it('verifies the ledger, and ends with 1 when a counter differs from the log', async () => {
    await admin('credits', 'grant', '--org', 'acme', '--amount', '25.00');
    const sound = await admin('ledger', 'verify');
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(sound.stdout).toContain('Every counter equals the log.');

    const database = new Database(file);
    const changed = database.prepare('UPDATE searchgate_organization_totals SET credits = credits + 1000000').run();
    database.close();
    expect(changed.changes).toBe(1);
    const wrong = await admin('ledger', 'verify');
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^organization acme {2}credits {2}\$25\.001 {6}\$25\.00 {6}\$0\.001$/m);
    expect((await admin('ledger', 'verify', '--json')).json()).toMatchObject({
      organizations: 1,
      differences: [{ subject: 'organization', id: 'acme', counter: 'credits', counted: '25.001', recomputed: '25' }],
    });
  });

  it.each(['release', 'charge'])('ends the holds of processes that died by the policy %s', async (policy) => {
    await admin('credits', 'grant', '--org', 'acme', '--amount', '1');
    const { ledger, close } = await openDurableLedger({ engine: 'sqlite', file }, log);
    const hold = { holdId: 'ans_1', organizationId: 'acme', keyId: 'sg_1', keyLimit: null, amount: 9n, model: 'm' };
    await ledger.hold({ ...hold, expiresAtMs: 1 });
    await close();
    expect((await admin('ledger', 'expire', '--policy', policy, '--json')).json()).toEqual({ expired: 1, policy });
    expect((await admin('orgs', 'list', '--json')).json()).toMatchObject([
      { held: '0', usage: policy === 'charge' ? '0.000000009' : '0' },
    ]);
  });

  it.each<[string, string[], string]>([
    ['an organization there is not', ['orgs', 'suspend', 'acne'], 'error: there is no organization acne\n'],
    ['a key there is not', ['keys', 'revoke', 'sg_1'], 'error: there is no API key of this id'],
    ['a key to show that there is not', ['keys', 'show', 'sg_1'], 'error: there is no API key of this id'],
    [
      'a reset of no limit',
      ['keys', 'create', '--org', 'acme', '--label', 'x', '--limit', 'none', '--reset', 'daily'],
      'error: limitReset: ',
    ],
  ])('refuses %s with code 1', async (_, argv, message) => {
    const { code, stdout, stderr } = await admin(...argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith(message)).toBe(true);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it.each<[string, string[], string]>([
    ['a command there is not', ['keys', 'lst'], 'Did you mean list?'],
    ['an option there is not', ['keys', 'list', '--orgs', 'acme'], 'Did you mean --org?'],
    [
      'an option that is missing',
      ['credits', 'grant', '--org', 'acme'],
      "required option '--amount <usd>' not specified",
    ],
    [
      'an amount that is none',
      ['credits', 'grant', '--org', 'acme', '--amount', '5,00'],
      "'5,00' is invalid. A decimal",
    ],
    ['a group there is not', ['usage', '--by', 'colour'], 'Allowed choices are organization, key, model, day.'],
    ['an argument too many', ['orgs', 'suspend', 'acme', 'globex'], 'too many arguments'],
    ['nothing', [], 'Usage: npm run admin --'],
  ])('tells of %s with code 2', async (_, argv, message) => {
    const { code, stdout, stderr } = await admin(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('explains itself', async () => {
    const { code, stdout } = await admin('--help');
    expect(code).toBe(0);
    for (const command of ['orgs', 'keys', 'credits', 'usage', 'entries', 'ledger'])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    expect((await admin('keys', 'create', '--help')).stdout).toContain('--json');
  });
});

describe('npm run admin on a ledger that cannot be used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-admin-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    [
      'memory',
      'SEARCHGATE_LEDGER: found memory, which the service keeps to itself, expected a ledger on disk or on a server',
    ],
    [`sqlite:${join(folder, 'slip.db')}`, 'npm run admin -- ledger migrate'],
    [
      'postgres://u:hunter2@127.0.0.1:1/money',
      'postgres://127.0.0.1:1/money (connect ECONNREFUSED 127.0.0.1:1), expected a PostgreSQL',
    ],
    ['redis://:hunter2@127.0.0.1:1', 'redis://127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1), expected a Redis server'],
    ['mysql://u:hunter2@db', 'SEARCHGATE_LEDGER: found mysql:…, expected memory, sqlite:<file>'],
  ])('says so of %s with code 1, makes nothing and shows no password', async (ledger, message) => {
    const { code, stdout, stderr } = await adminShell(ledger)('orgs', 'list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('    at ');
    expect(existsSync(join(folder, 'slip.db'))).toBe(false);
  });

  it('says that a ledger was never made ready', async () => {
    const file = join(folder, 'empty.db');
    const { close } = await openDurableLedger({ engine: 'sqlite', file }, log);
    await close();
    const { code, stderr } = await adminShell(`sqlite:${file}`)('orgs', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('npm run admin -- ledger migrate');
  });
});
