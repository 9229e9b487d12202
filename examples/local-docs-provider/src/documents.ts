import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A Markdown document and its public address. */
export interface LocalDocument {
  /** Name of the collection, such as a product: the first part of each citation's title. */
  readonly source: string;
  /** Absolute http(s) URL; citations add the anchor of the section. */
  readonly url: string;
  readonly markdown: string;
}

export const MAX_FILES = 2_000;
export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** Sample questions for the documentation of Searchgate, to show an operator. */
export const DEMO_QUESTIONS = ['How do I mount it in a Koa application?', 'Where are the metrics for Prometheus?'];

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const ADDRESS = 'https://github.com/searchgate/searchgate/blob/main/';
/** Pages for users. Decisions, the table of contents and pages for contributors answer no user's question. */
const USER_PAGES =
  /^(?:README\.md|docs\/(?!(?:README|architecture|benchmarks[^/]*|testing)\.md|decisions\/).+|packages\/[^/]+\/README\.md)$/;

/** The documentation of Searchgate in this repository, with sample questions. */
export function demoDocuments(): { documents: LocalDocument[]; questions: string[] } {
  const files = markdownFilesIn(ROOT, (path) => USER_PAGES.test(path));
  const documents = files.map(({ path, markdown }) => ({ source: 'Searchgate', url: ADDRESS + path, markdown }));
  return { documents, questions: DEMO_QUESTIONS };
}

/**
 * The Markdown files of a folder. The source is the folder's name; the URL of a file is `baseUrl` plus its path.
 *
 * @throws Error if the folder cannot be read, or has no Markdown or too much.
 */
export function folderDocuments(folder: string, baseUrl: string): LocalDocument[] {
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  const files = markdownFilesIn(folder);
  if (files.length === 0) throw new Error(`${folder} holds no Markdown files.`);
  return files.map(({ path, markdown }) => ({
    source: basename(resolve(folder)),
    url: base + path.split('/').map(encodeURIComponent).join('/'),
    markdown,
  }));
}

/** The Markdown files below a folder, by relative path. Excludes `node_modules`, hidden folders and links. */
function markdownFilesIn(folder: string, isWanted = (_path: string) => true) {
  const paths = listMarkdown(folder, '').filter(isWanted).sort();
  if (paths.length > MAX_FILES)
    throw new Error(`${folder} holds ${paths.length} Markdown files; at most ${MAX_FILES} can be indexed.`);
  let totalBytes = 0;
  return paths.map((path) => {
    const { size } = statSync(join(folder, path));
    totalBytes += size;
    if (size > MAX_FILE_BYTES)
      throw new Error(`${join(folder, path)} is ${size} bytes long; at most ${MAX_FILE_BYTES} can be indexed.`);
    if (totalBytes > MAX_TOTAL_BYTES)
      throw new Error(`${folder} holds over ${MAX_TOTAL_BYTES} bytes of Markdown; no more can be indexed.`);
    return { path, markdown: readFileSync(join(folder, path), 'utf8') };
  });
}

function listMarkdown(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : listMarkdown(folder, path);
    return entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name) ? [path] : [];
  });
}
