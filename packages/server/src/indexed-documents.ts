import { readFileSync } from 'node:fs';
import { DEMO_QUESTIONS, folderDocuments, type LocalDocument } from '@searchgate-examples/local-docs-provider';
import type { Settings } from './environment.js';
import { problem } from './problems.js';

/** The Markdown documents of `local/docs` without an operator's folder. */
export interface DemoDocuments {
  /** `source` names the subject, such as a package; `url` is the address for citations. */
  readonly documents: readonly { readonly source: string; readonly url: string; readonly markdown: string }[];
  /** Sample questions to show the operator. */
  readonly questions: readonly string[];
}

/** The documents of `local/docs`. */
export interface IndexedDocuments extends DemoDocuments {
  /** Their subject, for people. */
  readonly about: string;
  /** The documents that this service serves itself, by path. */
  readonly pages: ReadonlyMap<string, string>;
}

/** Made by the build. */
const SHIPPED = new URL('../dist/documents.json', import.meta.url);

/** The documentation of Searchgate, which ships with this package. */
export function shippedDocuments(): DemoDocuments {
  return { documents: JSON.parse(readFileSync(SHIPPED, 'utf8')) as LocalDocument[], questions: DEMO_QUESTIONS };
}

/** Finds the documents: the operator's folder, or the demo's. @throws ConfigurationError for an unusable folder. */
export function indexedDocuments(docs: Settings['docs'], demo: () => DemoDocuments): IndexedDocuments {
  if (docs === null) {
    const found = demo();
    const names = new Intl.ListFormat('en').format(new Set(found.documents.map(({ source }) => source)));
    return { ...found, about: `the documentation of ${names}`, pages: new Map() };
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

/** A heading with text directly below it: the heading works as a sample question. */
const TITLED = /^#{1,6}[ \t]+([^\r\n]+)(?:\r?\n)+(?!#)\S/gm;

function questionAbout(documents: readonly LocalDocument[]): string {
  for (const { markdown } of documents)
    for (const [, heading = ''] of markdown.matchAll(TITLED))
      if (/\w/.test(heading)) return `${heading.replace(/[#*`?]/g, '').trim()}?`;
  return 'What is said here?';
}
