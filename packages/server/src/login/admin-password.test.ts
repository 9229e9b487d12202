import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminPassword } from './admin-password.js';

describe('adminPassword', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'searchgate-password-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is made once, and kept as a hash', async () => {
    const { hash, made } = await adminPassword(null, folder);
    expect(made).toMatch(/^[\w-]{22}$/);
    expect(readFileSync(join(folder, 'admin-password'), 'utf8')).toBe(`${hash}\n`);
    expect(await adminPassword(null, folder)).toEqual({ hash, made: null });
  });

  it('reports a file that holds something else, without showing it', async () => {
    writeFileSync(join(folder, 'admin-password'), 'hunter2');
    const failure = await adminPassword(null, folder).catch(String);
    expect(failure).toMatch(/^ConfigurationError: the password of the page: found something else in .*\(not shown\)/);
    expect(failure).not.toContain('hunter2');
  });

  it('reports a file that cannot be read, and a folder that cannot be one', async () => {
    const wanted = 'expected a file this user may read and write.';
    mkdirSync(join(folder, 'admin-password'));
    await expect(adminPassword(null, folder)).rejects.toThrow(/^the password of the page: found EISDIR: /);
    writeFileSync(join(folder, 'file'), '');
    await expect(adminPassword(null, join(folder, 'file'))).rejects.toThrow(wanted);
  });
});
