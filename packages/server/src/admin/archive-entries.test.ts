import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../test/kit/admin-ledger.js';
import { archiveEntries } from './archive-entries.js';

let admin: AdminLedger;
let file: string;
let keyId: string;
const TOMORROW_MS = Date.now() + 86_400_000;

beforeEach(async () => {
  admin = await createAdminLedger();
  file = join(admin.folder, 'old.ndjson.gz');
  await admin.run('credits', 'grant', '--org', 'acme', '--amount', '5.00');
  keyId = (await admin.makeKey('--limit', '5.00')).id;
});
afterEach(() => {
  admin.remove();
});

function lines(): Record<string, unknown>[] {
  const text = gunzipSync(readFileSync(file)).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function verified(): Promise<string> {
  return (await admin.run('ledger', 'verify')).stdout;
}

describe('entries archive', () => {
  it('moves entries into a file and keeps every figure', async () => {
    for (const cost of [1n, 2n, 3n]) await admin.charge(keyId, cost * 1_000_000n);
    const usage = (await admin.run('usage', '--by', 'key', '--json')).stdout;
    const before = (await admin.run('entries', 'export', '--format', 'ndjson')).stdout.trimEnd().split('\n');
    expect(await admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file))).toEqual({ written: 3, removed: 2 });
    expect(lines()).toEqual(before.slice(0, 3).map((line) => JSON.parse(line) as unknown));
    const after = (await admin.run('entries', 'export', '--format', 'ndjson')).stdout.trimEnd().split('\n');
    expect(after).toEqual([before[0], before[3]]);
    expect((await admin.run('usage', '--by', 'key', '--json')).stdout).toBe(usage);
    expect(await verified()).toContain('Every counter equals the log.');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('archives again what has come since, grants included', async () => {
    for (let turn = 0; turn < 3; turn += 1) await admin.charge(keyId, 1_000_000n);
    await admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, `${file}.first`));
    await admin.charge(keyId, 1_000_000n);
    expect(await admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file))).toEqual({ written: 2, removed: 1 });
    expect(lines().map(({ kind }) => kind)).toEqual(['grant', 'charge']);
    expect(await verified()).toContain('Every counter equals the log.');
  });

  it('keeps the log where the archive cannot be written, and never writes over one', async () => {
    await admin.charge(keyId, 1_000_000n);
    await admin.charge(keyId, 1_000_000n);
    const count = () => admin.use(async (ledger) => (await ledger.entries()).entries.length);
    const elsewhere = join(admin.folder, 'missing', 'old.ndjson.gz');
    await expect(admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, elsewhere))).rejects.toThrow('ENOENT');
    await expect(admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, admin.file))).rejects.toThrow('exists');
    expect(await count()).toBe(3);
    expect(existsSync(file)).toBe(false);
  });

  it('leaves what is not old enough, and says so', async () => {
    await admin.charge(keyId, 1_000_000n);
    const today = new Date().toISOString().slice(0, 10);
    const result = await admin.run('entries', 'archive', '--before', today, '--to', file);
    expect(result).toMatchObject({ code: 0, stdout: `There is nothing to archive before ${today}.\n` });
    expect(existsSync(file)).toBe(false);
  });

  it('reads the log in pages', async () => {
    const charges = 2_500;
    await admin.use(async (ledger) => {
      const owner = { organizationId: 'acme', keyId, keyLimit: null, amount: 1n, expiresAtMs: TOMORROW_MS };
      const one = async (index: number) => {
        await ledger.hold({ ...owner, holdId: `ans_${index}`, model: 'm' });
        await ledger.settle(`ans_${index}`, { cost: 1n, model: 'm', provider: 'p', costSource: 'flat' });
      };
      await Promise.all(Array.from({ length: charges }, (_, index) => one(index)));
    });
    const archived = await admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file));
    expect(archived).toEqual({ written: charges, removed: charges - 1 });
    expect(new Set(lines().map(({ id }) => id)).size).toBe(charges);
    expect(await verified()).toContain('Every counter equals the log.');
  });

  it.each([
    [['--to', 'x'], "required option '--before <date>'"],
    [['--before', '2026-01-01'], "required option '--to <file>'"],
    [['--before', 'soon', '--to', 'x'], 'A date up to today is wanted'],
    [['--before', '2999-01-01', '--to', 'x'], 'A date up to today is wanted'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await admin.run('entries', 'archive', ...argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
