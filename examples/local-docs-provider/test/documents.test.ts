import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DOCUMENTED_PACKAGES,
  defaultDocuments,
  folderDocuments,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_TOTAL_BYTES,
  packageFolder,
} from '../src/documents.js';
import { passagesOf } from '../src/passages.js';
import wordings from '../src/wordings.json' with { type: 'json' };

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

describe('defaultDocuments', () => {
  const documents = defaultDocuments();
  const urls = documents.map(({ url }) => url);

  it('are the pages of Searchgate, first, without tables of contents and decisions', () => {
    expect(documents[0]?.source).toBe('Searchgate');
    expect(urls).toContain('https://github.com/searchgate/searchgate/blob/main/docs/hosts/koa.md');
    expect(urls.filter((url) => /searchgate\/blob\/main\/docs\/(?:README|decisions)/.test(url))).toEqual([]);
  });

  it.each(DOCUMENTED_PACKAGES)(
    'have the README of $name, though some packages hide their package.json',
    ({ name, of, source = of === undefined ? name : `${of} ${name}` }) => {
      const address = new RegExp(name === 'zod3' ? '/v3' : name === 'zod' ? '/v4' : '');
      const readmes = documents.filter(
        (document) =>
          document.source === source && /readme\.md$|npmjs/i.test(document.url) && address.test(document.url),
      );
      expect(readmes).toHaveLength(1);
      expect(readmes[0]?.markdown.length).toBeGreaterThan(1_000);
    },
  );

  it('take a part of a library in the version that the library uses', () => {
    expect(urls).toContainEqual(expect.stringMatching(/expressjs\/body-parser\/blob\/v2\./));
  });

  it('leave out of the manual of zod 3 what version 4 refuses', () => {
    const manual = documents.find(({ url }) => /zod\/blob\/v3/.test(url))?.markdown ?? '';
    expect(manual).toContain('### `.optional`');
    for (const gone of ['required_error', '.deepPartial', '.ip(', 'ZodTypeDef', 'Changelog'])
      expect(manual).not.toContain(gone);
  });

  it('leave licenses and sponsors out, and no link without its target', () => {
    const cookies = documents.find(({ source }) => source === 'koa cookies')?.markdown ?? '';
    expect(cookies).not.toMatch(/^#+ License/m);
    expect(cookies).toMatch(/^\[npm-version-image\]:|^\[npm-image\]:/m);
  });

  it('cite the installed version, docs folders and comments of source files by their lines', () => {
    expect(urls).toContainEqual(
      expect.stringMatching(/nodejs\/undici\/blob\/v7\.[\d.]+\/docs\/docs\/api\/Client\.md$/),
    );
    expect(urls).toContainEqual(expect.stringMatching(/colinhacks\/zod\/blob\/v4\.[\d.]+\/packages\/zod\/README\.md$/));
    expect(urls).toContainEqual(expect.stringMatching(/koajs\/koa\/blob\/v3\.[\d.]+\/lib\/response\.js#L\d+$/));
    // From the source map, and from the source that the package holds.
    expect(urls).toContainEqual(expect.stringMatching(/node-lru-cache\/blob\/v11\.[\d.]+\/src\/index\.ts#L\d+$/));
    expect(urls).toContainEqual(expect.stringMatching(/minisearch\/blob\/v7\.[\d.]+\/src\/MiniSearch\.ts#L\d+$/));
  });

  it('have each question that they do not answer once', () => {
    const questions = documents.flatMap(({ unanswered = [] }) => unanswered.map((question) => question.toLowerCase()));
    expect(questions.length).toBeGreaterThan(1_000);
    expect(new Set(questions).size).toBe(questions.length);
  });

  it('have wordings for headings that exist, and for no others', () => {
    const headings = new Map<string, Set<string>>();
    for (const { source, url, headings: path } of documents.flatMap(passagesOf)) {
      const page = /^https:\/\/github\.com\/searchgate\/searchgate\/blob\/main\/([^#]+)/.exec(url)?.[1] ?? source;
      for (const key of [page, `${dirname(page)}/`])
        headings.set(key, (headings.get(key) ?? new Set()).add(path.at(-1) ?? ''));
    }
    const listed = Object.entries(wordings).flatMap(([key, sections]) =>
      Object.keys(sections).map((heading) => [key, heading] as const),
    );
    expect(listed.filter(([key, heading]) => headings.get(key)?.has(heading) !== true)).toEqual([]);
  });

  it('say which package is not installed', () => {
    expect(() => packageFolder('not-installed-anywhere')).toThrow(
      '"not-installed-anywhere" cannot be indexed: the package is not installed',
    );
  });
});
