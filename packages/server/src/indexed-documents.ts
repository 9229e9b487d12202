import { defaultDocuments, folderDocuments, type LocalDocument } from '@searchgate-examples/local-docs-provider';
import type { Settings } from './environment.js';
import { problem } from './problems.js';

/** What `local/docs` answers from. */
export interface IndexedDocuments {
  readonly documents: readonly LocalDocument[];
  /** What they are about, for people. */
  readonly about: string;
  /** Questions they answer. */
  readonly questions: readonly string[];
  /** Those this service shows itself, by path. */
  readonly pages: ReadonlyMap<string, string>;
}

const QUESTIONS = ['How do I mount it in Koa?', 'How do I set a body timeout in undici?'];

/** Finds the documents: the operator's folder, or the documentation of Searchgate and of the libraries around it. @throws ConfigurationError when the folder cannot be used. */
export function indexedDocuments(docs: Settings['docs']): IndexedDocuments {
  if (docs === null) {
    const documents = defaultDocuments();
    return { documents, about: `the documentation of ${namesOf(documents)}`, questions: QUESTIONS, pages: new Map() };
  }
  const documents = readFolder(docs.folder, docs.baseUrl);
  const pages = docs.isServedHere
    ? documents.map(({ url, markdown }) => [new URL(url).pathname, markdown] as const)
    : [];
  return {
    documents,
    about: `the Markdown files in ${docs.folder}`,
    questions: [questionAbout(documents)],
    pages: new Map(pages),
  };
}

/** `express body-parser` is a part of express. */
function namesOf(documents: readonly LocalDocument[]): string {
  const names = new Set(documents.map(({ source }) => source.split(' ', 1)[0] ?? source));
  return new Intl.ListFormat('en').format(names);
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
