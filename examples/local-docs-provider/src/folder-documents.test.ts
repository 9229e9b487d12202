import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderDocuments } from './folder-documents.js';
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from './markdown-files.js';

describe('folderDocuments', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'searchgate-docs-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('reads the Markdown files of a folder and its subfolders, with their paths added to the base URL', () => {
    mkdirSync(join(folder, 'guides'));
    writeFileSync(join(folder, 'index.md'), '# Start');
    writeFileSync(join(folder, 'guides', 'getting started?.markdown'), '# Guide');
    writeFileSync(join(folder, 'notes.txt'), 'not Markdown');
    expect(folderDocuments(folder, 'https://example.org/docs').map(({ url, markdown }) => [url, markdown])).toEqual([
      ['https://example.org/docs/guides/getting%20started%3F.markdown', '# Guide'],
      ['https://example.org/docs/index.md', '# Start'],
    ]);
  });

  it('passes over hidden folders, node_modules and links out of the folder', () => {
    for (const name of ['.git', 'node_modules']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'a.md'), '# No');
    }
    symlinkSync('/etc', join(folder, 'outside'));
    writeFileSync(join(folder, 'yes.md'), '# Yes');
    expect(folderDocuments(folder, 'https://example.org/')).toHaveLength(1);
  });

  it('refuses a folder without Markdown or that does not exist', () => {
    expect(() => folderDocuments(folder, 'https://example.org/')).toThrow('holds no Markdown files');
    expect(() => folderDocuments(join(folder, 'missing'), 'https://example.org/')).toThrow(/ENOENT.*missing/);
  });

  it('refuses a file, a number of files and an amount of text over its bounds', () => {
    writeFileSync(join(folder, 'big.md'), 'x'.repeat(MAX_FILE_BYTES + 1));
    expect(() => folderDocuments(folder, 'https://example.org/')).toThrow(`big.md is ${MAX_FILE_BYTES + 1} bytes long`);

    rmSync(join(folder, 'big.md'));
    const megabyte = 'x'.repeat(MAX_FILE_BYTES);
    const tooMany = MAX_TOTAL_BYTES / MAX_FILE_BYTES + 1;
    for (let index = 0; index < tooMany; index += 1) writeFileSync(join(folder, `${index}.md`), megabyte);
    expect(() => folderDocuments(folder, 'https://example.org/')).toThrow(`holds over ${MAX_TOTAL_BYTES} bytes`);

    for (let index = 0; index <= MAX_FILES; index += 1) writeFileSync(join(folder, `${index}.md`), '');
    expect(() => folderDocuments(folder, 'https://example.org/')).toThrow(`holds ${MAX_FILES + 1} Markdown files`);
  });
});
