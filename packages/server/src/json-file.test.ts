import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigFile } from './config-file.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-json-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): unknown {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return readConfigFile(path);
}

describe('the text of a configuration', () => {
  it('tells where the text stops being JSON, and quotes none of it', () => {
    const text = '{\n  "apiKeys": [{ "secret": "sg_my_secret" "label": "key" }]\n}';
    expect(() => read(text)).toThrow(
      'SEARCHGATE_CONFIG: found no JSON from line 2, column 42 on, expected a JSON object.',
    );
    expect(() => read(text)).not.toThrow('sg_my_secret');
  });

  it.each([
    ['', 'line 1, column 1'],
    ['x', 'line 1, column 1'],
    ['{\n  "apiKeys":\n', 'line 3, column 1'],
    ['{\n  "apiKeys": }', 'line 2, column 14'],
    ['{\n  "apiKeys": [nul1] }', 'line 2, column 18'],
    ['{\n  "apiKeys": [],\n}', 'line 3, column 1'],
    ['{ "apiKeys": [] },', 'line 1, column 18'],
  ])('tells where %j stops being JSON', (text, place) => {
    expect(() => read(text)).toThrow(`found no JSON from ${place} on`);
  });

  it('reads a text behind a byte order mark', () => {
    expect(() => read('\ufeff{ "nope": 1 }')).toThrow('nope: found an unknown option');
  });

  it('refuses values that lie very deep in each other', () => {
    const text = `{ "apiKeys": ${'['.repeat(30_000)}${']'.repeat(30_000)} }`;
    expect(() => read(text)).toThrow(
      'SEARCHGATE_CONFIG: found values deep inside each other, expected at most 100 levels.',
    );
  });
});
