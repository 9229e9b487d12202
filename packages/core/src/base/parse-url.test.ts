import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseUrl } from './parse-url.js';

it('knows an address with letters of Latin-1 after many calls', () => {
  const hosts = new Set(Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example.org/')?.hostname));
  expect([...hosts]).toEqual(['xn--bcher-kva.example.org']);
  expect(parseUrl('//example.org')).toBeUndefined();
});

it('is used in all of core in place of URL.canParse', () => {
  const source = join(import.meta.dirname, '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const users = files.filter((file) => /URL\.canParse\(/.test(readFileSync(join(source, file), 'utf8')));
  expect(users).toEqual([]);
});
