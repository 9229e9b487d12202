import { basename, resolve } from 'node:path';
import type { LocalDocument } from './local-document.js';
import { markdownFilesIn } from './markdown-files.js';

/**
 * The Markdown files of a folder, one source named like the folder; the address of a file is its path added to `baseUrl`.
 *
 * @throws Error when the folder cannot be read, holds no Markdown, or too much of it.
 */
export function folderDocuments(folder: string, baseUrl: string): LocalDocument[] {
  const source = basename(resolve(folder));
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  const files = markdownFilesIn(folder);
  if (files.length === 0) throw new Error(`${folder} holds no Markdown files.`);
  return files.map(({ path, markdown }) => ({
    source,
    url: base + path.split('/').map(encodeURIComponent).join('/'),
    markdown,
  }));
}
