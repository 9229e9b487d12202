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

  it('is made once, and kept as a hash', () => {
    const { hash, made } = adminPassword(null, folder);
    expect(made).toMatch(/^[\w-]{22}$/);
    expect(readFileSync(join(folder, 'admin-password'), 'utf8')).toBe(`${hash}\n`);
    expect(hash).toMatch(/^sha256:/);
    expect(adminPassword(null, folder)).toEqual({ hash, made: null });
  });

  it('reports a file that holds something else, without showing it', () => {
    writeFileSync(join(folder, 'admin-password'), 'hunter2');
    const read = () => adminPassword(null, folder);
    expect(read).toThrow(/^the password of the page: found something else in .*\(not shown\)/);
    expect(read).not.toThrow('hunter2');
  });

  it('reports an unreadable file and an unusable folder', () => {
    const wanted = 'expected a file this user may read and write.';
    mkdirSync(join(folder, 'admin-password'));
    expect(() => adminPassword(null, folder)).toThrow(/^the password of the page: found EISDIR: /);
    writeFileSync(join(folder, 'file'), '');
    expect(() => adminPassword(null, join(folder, 'file'))).toThrow(wanted);
  });
});
