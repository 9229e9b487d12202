import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demoSecret } from './demo-secret.js';

describe('demoSecret', () => {
  let parent = '';
  let folder = '';
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'searchgate-demo-'));
    folder = join(parent, 'data');
  });
  afterEach(() => {
    rmSync(parent, { recursive: true });
  });

  it('is the same after a restart, in a file that only this user can read', () => {
    const { secret, file } = demoSecret(folder);
    expect(demoSecret(folder)).toEqual({ secret, file });
    expect(readFileSync(join(folder, 'demo-key'), 'utf8')).toBe(`${secret}\n`);
    expect(statSync(join(folder, 'demo-key')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['demo-key']);
  });

  it('changes when the file is removed', () => {
    const { secret } = demoSecret(folder);
    rmSync(join(folder, 'demo-key'));
    expect(demoSecret(folder).secret).not.toBe(secret);
  });

  it('writes no file without a data folder', () => {
    const { secret, file } = demoSecret(null);
    expect(file).toBeNull();
    expect(secret).not.toBe(demoSecret(null).secret);
  });

  it('reports a file that holds something else, without showing it', () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'demo-key'), 'my password');
    expect(() => demoSecret(folder)).toThrow(/something else in .*demo-key \(not shown\), expected an API key/);
    expect(() => demoSecret(folder)).not.toThrow('my password');
  });

  it('reports an unusable folder', () => {
    writeFileSync(folder, '');
    expect(() => demoSecret(folder)).toThrow(
      /^the demo key: found ENOTDIR: .*expected a file this user may read and write\.$/m,
    );
  });
});
