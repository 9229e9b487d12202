import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makePrivateFolder } from './private-folder.js';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('makePrivateFolder', () => {
  it('makes a folder and its missing parents for this user alone, and keeps an existing folder', () => {
    const root = mkdtempSync(join(tmpdir(), 'searchgate-folder-'));
    made.push(root);
    const folder = join(root, 'a', 'b');
    makePrivateFolder(folder);
    makePrivateFolder(folder);
    for (const each of [folder, join(root, 'a')]) expect(statSync(each).mode & 0o777).toBe(0o700);
  });

  const note = process.platform === 'linux' ? '' : ' (skipped: there is no /proc on this machine)';
  it.skipIf(note !== '')(`throws if the system cannot make the folder${note}`, () => {
    expect(() => makePrivateFolder('/proc/searchgate/data')).toThrow(/ENOENT/);
  });
});
