import { readFileSync, statSync } from 'node:fs';
import { sqliteLedger } from '@searchgate/ledger-sqlite';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../../test/kit/admin-ledger.js';

describe('usage, entries and the ledger', () => {
  let admin: AdminLedger;
  beforeEach(async () => {
    admin = await createAdminLedger();
  });
  afterEach(() => {
    admin.remove();
  });

  it('migrates the ledger, and again without harm', async () => {
    const ready = { code: 0, stdout: `${admin.file} is ready for this version.\n`, stderr: '' };
    expect(await admin.run('ledger', 'migrate')).toMatchObject(ready);
  });

  it('sums up the charges, and exports their entries', async () => {
    await admin.run(
      'credits',
      'grant',
      '--create',
      '--org',
      'acme',
      '--amount',
      '25.00',
      '--note',
      '=cmd, "x"',
      '--id',
      'g-1',
    );
    const { id } = await admin.makeKey('--limit', 'none');
    await admin.charge(id, 5_000_000n);
    await admin.charge(id, 1_500_000n, 'local/docs');
    await admin.run(
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

    expect((await admin.run('usage', '--by', 'model')).stdout.split('\n')).toEqual([
      'model       answers  charged  of it cached   owed  adjusted  granted   lost',
      'exa/answer        1   $0.005         $0.00  $0.00     $0.00    $0.00  $0.00',
      'local/docs        1  $0.0015         $0.00  $0.00     $0.00    $0.00  $0.00',
      '–                 0    $0.00         $0.00  $0.00   -$0.001   $25.00  $0.00',
      'in all            2  $0.0065         $0.00  $0.00   -$0.001   $25.00  $0.00',
      '',
    ]);
    const ofKey = await admin.run('usage', '--by', 'key', '--key', id, '--since', '2020-01-01', '--json');
    expect(ofKey.json()).toEqual([
      {
        group: id,
        charges: 2,
        charged: '0.0065',
        cachedCharges: 0,
        cached: '0',
        upstreamCost: '0',
        adjusted: '-0.001',
        granted: '0',
        lost: '0',
      },
    ]);
    expect((await admin.run('usage', '--until', '2020-01-01')).stdout).toBe('Nothing happened in that time.\n');

    const csv = await admin.run('entries', 'export');
    const lines = csv.stdout.split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toMatch(/,grant,g-1,acme,,25,,,,,,"'=cmd, ""x""",,,,$/);
    expect(lines[2]).toMatch(new RegExp(`,charge,ans_1,acme,${id},0.005,exa/answer,exa,flat,false,,,,,,$`));
    expect(lines[4]).toMatch(new RegExp(`,adjustment,a-1,acme,${id},-0.001,,,,,,sorry,,,,$`));

    const { stdout } = await admin.run('entries', 'export', '--format', 'ndjson', '--key', id);
    const entries = stdout.trimEnd().split('\n');
    expect(entries.map((line) => (JSON.parse(line) as { amount: string }).amount)).toEqual([
      '0.005',
      '0.0015',
      '-0.001',
    ]);
  });

  it('exports more entries than fit on a page, each once', async () => {
    const ids = Array.from({ length: 1_005 }, (_, index) => `g-${index}`);
    const grant = { organizationId: 'acme', amount: 1n, note: '' };
    await admin.use((ledger) => Promise.all(ids.map((grantId) => ledger.grant({ ...grant, grantId }))));
    const { stdout } = await admin.run('entries', 'export', '--json');
    const exported = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(exported.sort()).toEqual(ids.sort());
  });

  it('verifies the ledger, and ends with 1 when a counter differs from the log', async () => {
    await admin.run('credits', 'grant', '--create', '--org', 'acme', '--amount', '25.00');
    const sound = await admin.run('ledger', 'verify');
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(sound.stdout).toContain('Every counter equals the log.');

    const database = new Database(admin.file);
    const changed = database.prepare('UPDATE searchgate_organization_totals SET credits = credits + 1000000').run();
    database.close();
    expect(changed.changes).toBe(1);
    const wrong = await admin.run('ledger', 'verify');
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^organization acme {2}credits {2}\$25\.001 {6}\$25\.00 {6}\$0\.001$/m);
    expect((await admin.run('ledger', 'verify', '--json')).json()).toMatchObject({
      organizations: 1,
      differences: [{ subject: 'organization', id: 'acme', counter: 'credits', counted: '25.001', recomputed: '25' }],
    });
  });

  it('copies the ledger into a new file that is a ledger, and into no other file', async () => {
    await admin.run('credits', 'grant', '--create', '--org', 'acme', '--amount', '25.00');
    const copy = `${admin.file}.copy`;
    expect(await admin.run('ledger', 'backup', '--to', copy)).toMatchObject({ code: 0, stderr: '' });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const ledger = sqliteLedger({ database: new Database(copy) });
    expect((await ledger.organizationTotals('acme')).credits).toBe(25_000_000_000n);
    expect((await ledger.audit()).differences).toEqual([]);

    const before = readFileSync(copy);
    for (const to of [copy, `${admin.file}/none`, '/nowhere/copy']) {
      const refused = await admin.run('ledger', 'backup', '--to', to);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('--to: found ');
    }
    expect(readFileSync(copy).equals(before)).toBe(true);
  });

  it('releases the holds of dead processes', async () => {
    await admin.run('credits', 'grant', '--create', '--org', 'acme', '--amount', '1');
    const hold = { holdId: 'ans_1', organizationId: 'acme', keyId: 'sg_1', keyLimit: null, amount: 9n, model: 'm' };
    await admin.use((ledger) => ledger.hold({ ...hold, expiresAtMs: 1 }));
    expect((await admin.run('ledger', 'expire', '--json')).json()).toEqual({ expired: 1 });
    expect((await admin.run('orgs', 'list', '--json')).json()).toMatchObject([{ held: '0', usage: '0' }]);
  });
});
