import { folderDocuments, type LocalDocument, packageDocuments } from '@searchgate-examples/local-docs-provider';
import type { Settings } from './environment.js';
import { problem } from './problems.js';

/** What `local/docs` answers from. */
export interface IndexedDocuments {
  readonly documents: readonly LocalDocument[];
  /** A question they answer. */
  readonly question: string;
  /** Those this service shows itself, by path. */
  readonly pages: ReadonlyMap<string, string>;
}

/** Finds the documents: the operator's folder, or what ships inside the installed packages. @throws ConfigurationError when the folder cannot be used. */
export function indexedDocuments(docs: Settings['docs']): IndexedDocuments {
  if (docs === null)
    return { documents: packageDocuments(), question: 'How do I set a body timeout in undici?', pages: new Map() };
  const documents = readFolder(docs.folder, docs.baseUrl);
  const pages = docs.isServedHere
    ? documents.map(({ url, markdown }) => [new URL(url).pathname, markdown] as const)
    : [];
  return { documents, question: questionAbout(documents), pages: new Map(pages) };
}

function readFolder(folder: string, baseUrl: string): LocalDocument[] {
  try {
    return folderDocuments(folder, baseUrl);
  } catch (error) {
    throw problem(
      'SEARCHGATE_DOCS_DIR',
      JSON.stringify(folder),
      `a folder of Markdown files (${(error as Error).message})`,
    );
  }
}

function questionAbout(documents: readonly LocalDocument[]): string {
  const heading = documents
    .map(({ markdown }) => /^#{1,3}\s+(.*\w.*)$/m.exec(markdown)?.[1])
    .find((text) => text !== undefined);
  return `What do the documents say about ${heading?.replace(/[#*`]/g, '').trim() ?? 'this'}?`;
}
