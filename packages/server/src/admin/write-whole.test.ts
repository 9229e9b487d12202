import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWhole } from './write-whole.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'searchgate-whole-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (file: string) => writeWhole(file, (out) => out('new'));

describe('writeWhole', () => {
  it('takes the place of an earlier file, for this user alone', async () => {
    const file = join(folder, 'a.csv');
    writeFileSync(file, 'old');
    await write(file);
    expect([readFileSync(file, 'utf8'), lstatSync(file).mode & 0o777]).toEqual(['new', 0o600]);
  });

  it('leaves the earlier file, and nothing else, where it fails half-way', async () => {
    const file = join(folder, 'a.csv');
    writeFileSync(file, 'old');
    const failing = writeWhole(file, async (out) => {
      await out('half');
      throw new Error('disk full');
    });
    await expect(failing).rejects.toThrow('disk full');
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a.csv']]);
  });

  it('writes where a link leads, which stays one', async () => {
    const [link, file] = [join(folder, 'link.csv'), join(folder, 'there.csv')];
    writeFileSync(file, 'old');
    symlinkSync('there.csv', link);
    await write(link);
    expect([readFileSync(file, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual(['new', true]);
  });

  it('refuses a folder before anything is written', async () => {
    const place = join(folder, 'folder');
    mkdirSync(place);
    await expect(write(place)).rejects.toThrow(`--output: found ${place}, which is no file`);
    expect(readdirSync(folder)).toEqual(['folder']);
  });

  it('leaves what is no file as it is, such as a socket or a device', async () => {
    const place = join(folder, 'socket');
    const server = createServer().listen(place);
    await expect.poll(() => existsSync(place)).toBe(true);
    await expect(write(place)).rejects.toThrow('which is no file');
    expect(lstatSync(place).isSocket()).toBe(true);
    await new Promise((resolve) => server.close(resolve));
  });
});
