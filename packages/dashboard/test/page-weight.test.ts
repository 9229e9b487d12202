import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';

const MAX_BYTES = 150_000;

describe('the built page', () => {
  const folder = inject('pageFolder');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  const html = readFileSync(join(folder, 'index.html'), 'utf8');

  it('is at most 150 kB, compressed', () => {
    expect(files.length).toBeGreaterThanOrEqual(3);
    expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('has only relative URLs, and nothing inline', () => {
    const urls = [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    expect(urls.length).toBeGreaterThanOrEqual(3);
    for (const url of urls) expect(url).toMatch(/^(?:\.\/assets\/|data:,$)/);
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
    expect(html).not.toMatch(/<script[^>]*>[^<]/);
  });

  it('evaluates no text as code', () => {
    expect(files.map(String).join('\n')).not.toMatch(/\beval\(|new Function\b/);
  });
});
