import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../test/kit/admin-ledger.js';
import { adminShell } from '../../test/kit/admin-shell.js';

describe('npm run admin', () => {
  let admin: AdminLedger;
  beforeEach(async () => {
    admin = await createAdminLedger();
  });
  afterEach(() => {
    admin.remove();
  });

  it.each<[string, string[], string]>([
    ['an unknown organization', ['orgs', 'suspend', 'acne'], 'error: there is no organization acne\n'],
    ['an unknown organization to show', ['orgs', 'show', 'acne'], 'error: there is no organization acne\n'],
    ['an unknown organization to change', ['orgs', 'update', 'acne', '--rate', '1/s'], 'error: '],
    ['an unknown key', ['keys', 'revoke', 'sg_1'], 'error: there is no API key of this id'],
    ['an unknown key to show', ['keys', 'show', 'sg_1'], 'error: there is no API key of this id'],
    [
      'a reset of no limit',
      ['keys', 'create', '--org', 'acme', '--label', 'x', '--limit', 'none', '--reset', 'daily', '--create'],
      'error: limitReset: ',
    ],
  ])('refuses %s with code 1', async (_, argv, message) => {
    const { code, stdout, stderr } = await admin.run(...argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith(message)).toBe(true);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it.each<[string, string[]]>([
    ['Did you mean list?', ['keys', 'lst']],
    ['Did you mean --org?', ['keys', 'list', '--orgs', 'acme']],
    ["required option '--amount <usd>' not specified", ['credits', 'grant', '--org', 'acme']],
    ["'5,00' is invalid. Expected a decimal", ['credits', 'grant', '--org', 'acme', '--amount', '5,00']],
    ["'60' is invalid. Expected requests per period", ['orgs', 'create', 'acme', '--rate', '60']],
    ['Allowed choices are organization, key, budget, model, tag, day.', ['usage', '--by', 'color']],
    ['Allowed choices are enforce, warn.', ['budgets', 'set', '--mode', 'soft']],
    ["'none' is invalid. Expected a decimal", ['budgets', 'set', '--limit', 'none']],
    ["'a,b,c,d,e' is invalid. Expected up to four budgets", ['keys', 'create', '--budgets', 'a,b,c,d,e']],
    ["required option '--budget <id>' not specified", ['budgets', 'delete', '--org', 'acme']],
    ['too many arguments', ['orgs', 'suspend', 'acme', 'globex']],
    ['Usage: searchgate admin', []],
  ])('reports with code 2: %s', async (message, argv) => {
    const { code, stdout, stderr } = await admin.run(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('prints help', async () => {
    const { code, stdout } = await admin.run('--help');
    expect(code).toBe(0);
    for (const command of ['orgs', 'keys', 'budgets', 'credits', 'usage', 'entries', 'ledger'])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    const { stdout: ofCreate } = await admin.run('keys', 'create', '--help');
    for (const line of [/^ {2}--org .* \(required\)$/m, /^ {2}--models .*or all$/m, /^ {2}--json /m])
      expect(ofCreate).toMatch(line);
  });
});

describe('searchgate admin on a ledger that cannot be used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-admin-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    [
      'memory',
      'SEARCHGATE_LEDGER: found memory, which only the service can read, expected a ledger on disk or on a server',
    ],
    [`sqlite:${join(folder, 'mistyped.db')}`, 'searchgate admin ledger migrate'],
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
    expect(existsSync(join(folder, 'mistyped.db'))).toBe(false);
  });

  it('says that a ledger was never migrated', async () => {
    const file = join(folder, 'empty.db');
    writeFileSync(file, '');
    const { code, stderr } = await adminShell(`sqlite:${file}`)('orgs', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('searchgate admin ledger migrate');
  });
});
