import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../../test/kit/admin-ledger.js';
import { archiveEntries } from '../archive-entries.js';

const SECOND_MS = 1_000;

describe('budgets', () => {
  let admin: AdminLedger;
  beforeEach(async () => {
    admin = await createAdminLedger();
    await admin.run('credits', 'grant', '--create', '--org', 'acme', '--amount', '25.00');
  });
  afterEach(() => {
    admin.remove();
  });

  const set = (id: string, ...options: string[]) =>
    admin.run('budgets', 'set', '--org', 'acme', '--budget', id, '--limit', ...options);

  /** Charges a call of acme that counts in budgets. */
  const charge = (holdId: string, cost: bigint, ids: readonly string[]) =>
    admin.use(async (ledger) => {
      const budgets = ids.map((id) => ({ id, limit: null, limitReset: null, isKept: true }));
      const hold = { holdId, organizationId: 'acme', keyId: 'key-1', keyLimit: null, budgets, model: 'exa/answer' };
      await ledger.hold({ ...hold, amount: cost, expiresAtMs: Date.now() + 60 * SECOND_MS });
      await ledger.settle(holdId, { cost, model: 'exa/answer', provider: 'exa', costSource: 'flat' });
    });

  it('are corrected together with their organization', async () => {
    for (const id of ['team:a', 'user:ada']) await set(id, '10');
    await charge('a', 3_000_000_000n, ['team:a', 'user:ada']);
    const whose = ['--org', 'acme', '--budgets', 'team:a,user:ada'];
    const refund = await admin.run('credits', 'adjust', ...whose, '--amount', '-1', '--note', 'refund');
    expect(refund.stdout).toMatch(/^Corrected the usage of acme and of team:a and of user:ada by -\$1\.00: /);
    const listed = (await admin.run('budgets', 'list', '--org', 'acme', '--json')).json() as { usage: string }[];
    expect(listed.map(({ usage }) => usage)).toEqual(['2', '2']);
  });

  it('are set, replaced, listed with what they spent, and deleted', async () => {
    const made = await set('team:research', '200.00', '--reset', 'monthly');
    expect(made.stdout).toMatch(/^Budget team:research of acme is set, in every process within seconds\.$/m);
    expect(made.stdout).toMatch(/^ {2}limit {8}\$200\.00 monthly$/m);
    await charge('a', 3_000_000_000n, ['team:research']);
    const low = await set('team:research', '2', '--mode', 'warn', '--json');
    const budget = {
      organizationId: 'acme',
      id: 'team:research',
      limit: '2',
      limitReset: 'monthly',
      mode: 'warn',
      usage: '3',
      held: '0',
      windowUsage: '3',
      resetsAt: expect.stringMatching(/-01T00:00:00.000Z$/) as string,
      createdAt: expect.stringMatching(/^20.*Z$/) as string,
    };
    expect([low.code, low.json()]).toEqual([0, budget]);
    expect((await admin.run('budgets', 'list', '--org', 'acme', '--json')).json()).toEqual([budget]);
    const [title, row] = (await admin.run('budgets', 'list', '--org', 'acme')).stdout.split('\n');
    expect(title).toMatch(/^id +mode +limit +of it used +used in all +held +starts over +created$/);
    expect(row).toMatch(
      /^team:research +warn +\$2\.00 monthly +\$3\.00 +\$3\.00 +\$0\.00 +20\S+-01T00:00:00\.000Z +20\d\d-/,
    );
    const gone = await admin.run('budgets', 'delete', '--org', 'acme', '--budget', 'team:research');
    expect(gone.stdout).toMatch(/^Budget team:research of acme is deleted\.$/m);
    expect((await admin.run('budgets', 'list', '--org', 'acme')).stdout).toBe('There is no budget yet.\n');
    expect((await admin.run('changes', '--json')).stdout).toContain('"action": "budget.delete"');
  });

  it('are named by keys, which are shown with them', async () => {
    for (const id of ['team:research', 'user:ada']) await set(id, '5');
    const { id } = await admin.makeKey('--limit', 'none', '--budgets', 'user:ada,team:research');
    expect((await admin.run('keys', 'show', id)).stdout).toMatch(/^ {2}budgets {7}user:ada, team:research$/m);
    expect((await admin.run('keys', 'list')).stdout).toMatch(/ user:ada, team:research {2}never$/m);
    const refused = await admin.run('budgets', 'delete', '--org', 'acme', '--budget', 'user:ada');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`named by the keys ${id}`)]);
    const changed = await admin.run('keys', 'update', id, '--budgets', 'team:research', '--json');
    expect(changed.json()).toMatchObject({ budgets: ['team:research'] });
    expect((await admin.run('keys', 'update', id, '--budgets', 'none', '--json')).json()).toMatchObject({
      budgets: [],
    });
    expect((await admin.run('keys', 'show', id)).stdout).toMatch(/^ {2}budgets {7}none$/m);
  });

  it.each<[string, string[]]>([
    ['no budget team:reserch. Did you mean "team:research"?', ['keys', 'update', 'KEY', '--budgets', 'team:reserch']],
    ['no budget user:bob\n', ['keys', 'update', 'KEY', '--budgets', 'user:bob']],
    ['at most 4 budgets, each once', ['keys', 'update', 'KEY', '--budgets', 'team:research,team:research']],
    ['no budget team:reserch. Did', ['budgets', 'delete', '--org', 'acme', '--budget', 'team:reserch']],
    ['no organization acne', ['budgets', 'set', '--org', 'acne', '--budget', 'x', '--limit', '1']],
  ])('refuse with code 1: %s', async (message, argv) => {
    await set('team:research', '5');
    const { id } = await admin.makeKey('--limit', 'none');
    const { code, stdout, stderr } = await admin.run(...argv.map((each) => each.replace('KEY', id)));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('are summed up, exported, archived, and verified', async () => {
    await charge('a', 5_000_000n, ['user:ada', 'team:research']);
    await charge('b', 1_000_000n, ['team:research']);
    await charge('c', 1_000_000n, []);
    const rows = (await admin.run('usage', '--by', 'budget')).stdout.split('\n');
    expect(rows.map((row) => row.slice(0, 32).trimEnd())).toEqual([
      'budget         answers  charged',
      'team:research        2   $0.006',
      'user:ada             1   $0.005',
      '–                    1   $0.001',
      'in all               3   $0.007',
      '',
    ]);
    const csv = (await admin.run('entries', 'export')).stdout;
    expect(csv).toMatch(/,charge,a,.*,team:research user:ada,\r\n/);
    const exported = (await admin.run('entries', 'export', '--json')).stdout.trimEnd().split('\n');
    const file = join(admin.folder, 'old.ndjson.gz');
    const audit = async () => {
      const { code, stdout } = await admin.run('ledger', 'verify');
      expect(stdout).toMatch(/^ {2}budgets {8}2$/m);
      return code;
    };
    expect(await audit()).toBe(0);
    await admin.use((ledger) => archiveEntries(ledger, Date.now() + SECOND_MS, file));
    const archived = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
    expect(archived).toEqual(exported.slice(0, -1));
    expect(archived[1]).toContain('"budgets":["team:research","user:ada"]');
    expect(await audit()).toBe(0);
  });

  it('are shown where their counters differ from the log', async () => {
    await charge('a', 5_000_000n, ['user:ada']);
    const database = new Database(admin.file);
    database.prepare('UPDATE searchgate_budget_totals SET usage = usage + 1000000').run();
    database.close();
    const wrong = await admin.run('ledger', 'verify');
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^budget acme user:ada {2}usage {5}\$0\.006 {6}\$0\.005 {6}\$0\.001$/m);
  });

  it('are erased with their ids', async () => {
    await set('user:ada', '5');
    const { id } = await admin.makeKey('--limit', 'none', '--budgets', 'user:ada');
    const erase = () => admin.run('erase', '--org', 'acme', '--budget', 'user:ada');
    expect((await erase()).stderr).toContain(id);
    await admin.run('keys', 'revoke', id);
    const erased = await erase();
    expect(erased.stdout).toMatch(
      /^The budget user:ada of acme was deleted; 3 changes and 0 calls no longer name it\./,
    );
    expect((await admin.run('changes', '--json')).stdout).not.toContain('user:ada');
    expect((await admin.run('keys', 'show', id)).stdout).not.toContain('user:ada');
    expect((await erase()).stdout).toMatch(/^acme has no budget user:ada; 0 changes/);
  });
});
