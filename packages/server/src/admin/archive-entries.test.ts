import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { DurableLedger } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../test/kit/admin-ledger.js';
import { archiveEntries } from './archive-entries.js';

let admin: AdminLedger;
let file: string;
let keyId: string;
const TOMORROW_MS = Date.now() + 86_400_000;

beforeEach(async () => {
  admin = await createAdminLedger();
  file = join(admin.folder, 'old.ndjson.gz');
  await admin.run('credits', 'grant', '--create', '--org', 'acme', '--amount', '5.00');
  keyId = (await admin.makeKey('--limit', '5.00')).id;
});
afterEach(() => {
  vi.useRealTimers();
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

/** The entries of the log that are not grants. */
async function chargesLeft(): Promise<string[]> {
  const { entries } = await admin.use((ledger) => ledger.entries({ limit: 1_000 }));
  return entries.filter(({ kind }) => kind === 'charge').map(({ id }) => id);
}

/** A ledger that fails after removing the entries before `before`, as if its process were killed. */
function stopping(ledger: DurableLedger, before: number): DurableLedger {
  return {
    ...ledger,
    async removeEntries() {
      const { nextCursor } = await ledger.entries({ limit: before });
      await ledger.removeEntries(nextCursor ?? '');
      throw new Error('stopped');
    },
  };
}

describe('entries archive', () => {
  it('removes the draft of a killed run, whatever is left to archive', async () => {
    const archive = () => admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file));
    const draft = `${file}.draft`;
    for (const written of [1, 0]) {
      if (written > 0) await admin.charge(keyId, 1_000_000n);
      writeFileSync(draft, 'half');
      expect(await archive()).toMatchObject({ written });
      expect([existsSync(draft), existsSync(file)]).toEqual([false, true]);
    }
    file += '.none';
    writeFileSync(draft.replace('.gz.', '.gz.none.'), 'half');
    expect(await admin.use((ledger) => archiveEntries(ledger, 0, file))).toEqual({ written: 0, removed: 0 });
    expect(readdirSync(admin.folder).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('moves entries into a file and changes no total', async () => {
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

  it('archives newer entries later, grants included', async () => {
    for (let turn = 0; turn < 3; turn += 1) await admin.charge(keyId, 1_000_000n);
    await admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, `${file}.first`));
    await admin.charge(keyId, 1_000_000n);
    expect(await admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file))).toEqual({ written: 2, removed: 1 });
    expect(lines().map(({ kind }) => kind)).toEqual(['grant', 'charge']);
    expect(await verified()).toContain('Every counter equals the log.');
  });

  it('keeps the log if the archive cannot be written, and never overwrites an archive', async () => {
    await admin.charge(keyId, 1_000_000n);
    await admin.charge(keyId, 1_000_000n);
    const count = () => admin.use(async (ledger) => (await ledger.entries()).entries.length);
    const elsewhere = join(admin.folder, 'missing', 'old.ndjson.gz');
    await expect(admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, elsewhere))).rejects.toThrow('ENOENT');
    for (const there of [admin.file, admin.folder])
      await expect(admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, there))).rejects.toThrow('exists');
    expect(await count()).toBe(3);
    expect(existsSync(file)).toBe(false);
  });

  it('leaves entries that are not old enough, and says so', async () => {
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

  it('continues a stopped run, and writes no entry twice', async () => {
    for (let turn = 0; turn < 6; turn += 1) await admin.charge(keyId, 1_000_000n);
    const stopped = admin.use((ledger) => archiveEntries(stopping(ledger, 3), TOMORROW_MS, file));
    await expect(stopped).rejects.toThrow('stopped');
    const written = readFileSync(file);
    expect(await chargesLeft()).toEqual(['ans_3', 'ans_4', 'ans_5', 'ans_6']);
    await admin.charge(keyId, 1_000_000n);

    const today = new Date().toISOString().slice(0, 10);
    const again = await admin.run('entries', 'archive', '--before', today, '--to', file, '--json');
    expect(again.json()).toEqual({ written: 0, removed: 3, file });
    expect(await chargesLeft()).toEqual(['ans_6', 'ans_7']);
    expect(readFileSync(file)).toEqual(written);
    expect(await verified()).toContain('Every counter equals the log.');
    const onceMore = await admin.run('entries', 'archive', '--before', today, '--to', file);
    expect(onceMore).toMatchObject({ code: 0, stdout: `There is nothing to archive before ${today}.\n` });
    expect(readFileSync(file)).toEqual(written);
    // Newer entries are in no archive.
    await expect(admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file))).rejects.toThrow('which exists');
  });

  it.each<[string, (archive: string) => void]>([
    ['some other file', (path) => writeFileSync(path, 'mine')],
    ['an empty file', (path) => writeFileSync(path, '')],
    ['the archive of another ledger', (path) => writeFileSync(path, gzipSync('{"at":"2026-01-01"}\n'))],
    ['an archive that has lost its end', (path) => truncateSync(path, statSync(path).size - 1)],
  ])('removes nothing for %s', async (_, spoil) => {
    for (let turn = 0; turn < 3; turn += 1) await admin.charge(keyId, 1_000_000n);
    const stopped = admin.use((ledger) => archiveEntries(stopping(ledger, 1), TOMORROW_MS, file));
    await expect(stopped).rejects.toThrow('stopped');
    spoil(file);
    const spoiled = readFileSync(file);
    await expect(admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file))).rejects.toThrow('which exists');
    expect(await chargesLeft()).toEqual(['ans_1', 'ans_2', 'ans_3']);
    expect(readFileSync(file)).toEqual(spoiled);
  });

  it('runs in one process at a time, so that no entry gets into two files', async () => {
    for (let turn = 0; turn < 3; turn += 1) await admin.charge(keyId, 1_000_000n);
    const second = join(admin.folder, 'second.gz');
    const archived = await admin.use((ledger) => {
      const entries: DurableLedger['entries'] = async (query) => {
        const beside = admin.use((other) => archiveEntries(other, TOMORROW_MS, second));
        await expect(beside).rejects.toThrow('archived already');
        return ledger.entries(query);
      };
      return archiveEntries({ ...ledger, entries }, TOMORROW_MS, file);
    });
    expect(archived).toEqual({ written: 3, removed: 2 });
    expect(existsSync(second)).toBe(false);
  });

  it('can run again half a minute after a killed run', async () => {
    for (let turn = 0; turn < 3; turn += 1) await admin.charge(keyId, 1_000_000n);
    vi.useFakeTimers({ toFake: ['Date'] });
    const killed = admin.use((ledger) => {
      const idempotency = { ...ledger.idempotency, free: () => Promise.reject(new Error('killed')) };
      return archiveEntries({ ...stopping(ledger, 1), idempotency }, TOMORROW_MS, file);
    });
    await expect(killed).rejects.toThrow('stopped');
    const run = () => admin.use((ledger) => archiveEntries(ledger, TOMORROW_MS, file));
    vi.setSystemTime(Date.now() + 29_999);
    await expect(run()).rejects.toThrow('archived already');
    vi.setSystemTime(Date.now() + 1);
    expect(await run()).toEqual({ written: 0, removed: 2 });
  });

  it('neither writes nor removes after a stall in which another run began', async () => {
    for (let turn = 0; turn < 3; turn += 1) await admin.charge(keyId, 1_000_000n);
    vi.useFakeTimers({ toFake: ['Date'] });
    const slow = admin.use((ledger) => {
      const entries: DurableLedger['entries'] = async (query) => {
        vi.setSystemTime(Date.now() + 30_000);
        const claim = { keyId: 'searchgate:archive', idempotencyKey: 'archive', claimId: 'another' };
        const nowMs = Date.now();
        await ledger.idempotency.claim({ ...claim, fingerprint: 'a'.repeat(64), nowMs, expiresAtMs: nowMs + 60_000 });
        return ledger.entries(query);
      };
      return archiveEntries({ ...ledger, entries }, TOMORROW_MS, file);
    });
    await expect(slow).rejects.toThrow('archived already');
    expect(readdirSync(admin.folder).filter((name) => name.includes('.gz'))).toEqual([]);
    expect(await chargesLeft()).toHaveLength(3);
  });

  it.each([
    [['--to', 'x'], "required option '--before <date>'"],
    [['--before', '2026-01-01'], "required option '--to <file>'"],
    [['--before', 'soon', '--to', 'x'], 'Expected a date up to today'],
    [['--before', '2999-01-01', '--to', 'x'], 'Expected a date up to today'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await admin.run('entries', 'archive', ...argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
