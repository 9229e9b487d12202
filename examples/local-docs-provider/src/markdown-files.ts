import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Most files read from one folder. */
export const MAX_FILES = 2_000;
/** Most bytes of one file. */
export const MAX_FILE_BYTES = 1024 * 1024;
/** Most bytes read from one folder. */
export const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

export interface MarkdownFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly markdown: string;
}

/**
 * Reads the Markdown files of a folder and its subfolders, in the order of their paths. `node_modules`, hidden folders and symbolic links are passed over.
 *
 * @throws Error naming the folder when it holds more files or bytes than the bounds above: a wrong folder should say so, not fill the memory.
 */
export function markdownFilesIn(folder: string, wanted: (path: string) => boolean = () => true): MarkdownFile[] {
  const paths = listMarkdown(folder, '').filter(wanted).sort();
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
