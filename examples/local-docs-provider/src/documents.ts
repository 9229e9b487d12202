import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docComments } from './doc-comments.js';
import libraries from './libraries.json' with { type: 'json' };
import type { LocalDocument } from './local-document.js';

/** What READMEs have beside their subject. */
const ASIDE =
  /^#+ (?:Licen|Tests?$|Testing$|Running tests|Contribut|Authors|Backers|Credits|Sponsors|Compatible Session Stores|Badges|Changelog)[^]*?(?=^#|$(?![^]))/gim;
/** Where a link of a text leads, defined anywhere in it. */
const LINK_TARGET = /^\[[^\]]+\]:.*$/gm;
/** Sections, examples and lines of the manual of zod 3 that its version 4 refuses. */
const ZOD_4_CHANGED = new RegExp(
  [
    '^[^]*?(?=^## Basic usage)',
    '^#+ (?:IP |Functions|Promises|JSON type|ZodType with|`\\.(?:deepPartial|promise|superRefine)|Arguments|Type refinements|Constraining|Error )[^]*?(?=^#)',
    '^## Comparison[^]*',
    '^```ts\\n(?:(?!```)[^])*?(?:required_error|ZodEffects)[^]*?^```\\n',
    '^.*\\.(?:ip|cidr)\\(.*\\n',
  ].join('|'),
  'gm',
);

export const MAX_FILES = 2_000;
export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** A package whose documentation ships inside it. */
interface DocumentedPackage {
  readonly name: string;
  /** A package it belongs to: it answers questions about that one as well. */
  readonly of?: string;
  /** What it is called instead of its name. */
  readonly source?: string;
  /** Where the package lives in its repository, when its package.json does not say. */
  readonly directory?: string;
  /** Source files whose comments are its reference; of a source map, the file it was made from. */
  readonly comments?: readonly string[];
}

/**
 * Packages that are indexed without any configuration. The README of `zod3` is a manual, which version 4 has on its site only.
 * Those that have no page on GitHub for a version `v<version>` are cited by their npm page.
 */
export const DOCUMENTED_PACKAGES: readonly DocumentedPackage[] = libraries;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, 'examples/local-docs-provider/src');
const OWN_ADDRESS = 'https://github.com/searchgate/searchgate/blob/main/';
/** What this repository tells its users. Left out: a table of contents, and the decisions, which say why and not how. */
const OWN_PAGES = /^(?:README\.md|docs\/(?!README\.md|decisions\/).+|packages\/[^/]+\/README\.md)$/;

/** The documentation of Searchgate, then that of the libraries around it. @throws Error when a library is not installed. */
export function defaultDocuments(): LocalDocument[] {
  const wordings = readWordings();
  const documents = DOCUMENTED_PACKAGES.flatMap(packageDocuments);
  return [...ownDocuments(), ...documents.map((document) => ({ ...document, wordings: wordings[document.source] }))];
}

/** The default documents with questions they answer, for a service to propose. @throws Error as {@link defaultDocuments}. */
export function demoDocuments(): { documents: LocalDocument[]; questions: string[] } {
  return {
    documents: defaultDocuments(),
    questions: ['How do I mount it in Koa?', 'How do I set a body timeout in undici?'],
  };
}

/** The documentation of Searchgate, as it is in this repository. */
export function ownDocuments(): LocalDocument[] {
  const wordings = readWordings();
  return markdownFilesIn(ROOT, (path) => OWN_PAGES.test(path)).map(({ path, markdown }) => ({
    source: 'Searchgate',
    url: OWN_ADDRESS + path,
    markdown,
    // Of a heading that many pages of a folder have, the page's own wordings replace those of the folder.
    wordings: { ...wordings[`${dirname(path)}/`], ...wordings[path] },
    unanswered: path === 'README.md' ? readData<string[]>('unanswered.json') : undefined,
  }));
}

type Wordings = NonNullable<LocalDocument['wordings']>;

/** How people ask for sections, by page, folder or library. */
const readWordings = () => readData<Readonly<Record<string, Wordings>>>('wordings.json');

/** Data of this folder. Read and not imported, so that no bundle of this code holds it. */
function readData<Data>(file: string): Data {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Data;
}

/**
 * The Markdown files of a folder, one source named like the folder; the address of a file is its path added to `baseUrl`.
 *
 * @throws Error when the folder cannot be read, holds no Markdown, or too much of it.
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

/** The README, the `docs` folder and the documented source files of an installed package. */
function packageDocuments(documented: DocumentedPackage): LocalDocument[] {
  const { name, of, source = of === undefined ? name : `${of} ${name}`, comments = [] } = documented;
  const folder = packageFolder(name, of === undefined ? [] : [join(packageFolder(of), 'package.json')]);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const addressOf = publicAddress(manifest, documented.directory);
  const pages = markdownFilesIn(folder, (path) => /^readme\.md$/i.test(path) || path.startsWith('docs/'));
  const reference = comments.flatMap((file) => {
    const { path, code } = readSource(folder, file);
    return docComments(source, { code, url: addressOf(path) });
  });
  const documents = pages.map(({ path, markdown }) => ({
    source,
    url: addressOf(path),
    markdown: withoutSections(markdown, name === 'zod3' ? ZOD_4_CHANGED : ASIDE),
  }));
  return [...documents, ...reference];
}

/** A text without some of its parts. The targets of links stay. */
function withoutSections(markdown: string, leftOut: RegExp): string {
  return markdown.replace(leftOut, (section) => (section.match(LINK_TARGET) ?? []).join('\n'));
}

/** A source file of a package, with its path in the repository. */
function readSource(folder: string, file: string): { path: string; code: string } {
  const text = readFileSync(join(folder, file), 'utf8');
  if (!file.endsWith('.map')) return { path: file, code: text };
  const { sources, sourcesContent } = JSON.parse(text) as { sources: [string]; sourcesContent: [string] };
  return { path: join(dirname(file), sources[0]), code: sourcesContent[0] };
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: string | { readonly url: string; readonly directory?: string };
}

/** Finds a package in the folders Node would look in, following links. Resolving its entry would fail for packages whose `exports` hide it. */
export function packageFolder(name: string, from: readonly string[] = []): string {
  const places = [...from, import.meta.url].flatMap((module) => createRequire(module).resolve.paths(name) ?? []);
  const place = places.find((folder) => existsSync(join(folder, name, 'package.json')));
  if (place === undefined)
    throw new Error(`The documentation of "${name}" cannot be indexed: the package is not installed.`);
  return realpathSync(join(place, name));
}

/** From a path inside a package to the page people read: the file at the version's tag on GitHub, or else the package's npm page. */
function publicAddress({ name, version, repository }: Manifest, directory?: string): (path: string) => string {
  const { url, directory: declared } =
    typeof repository === 'string' ? { url: repository } : (repository ?? { url: '' });
  const slug = /(?:^|github\.com[/:]|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1];
  if (slug === undefined) return () => `https://www.npmjs.com/package/${name}/v/${version}`;
  const prefix = [directory ?? declared].filter((part) => part !== undefined).map((part) => `${part}/`);
  return (path) => `https://github.com/${slug}/blob/v${version}/${prefix.join('')}${path}`;
}

interface MarkdownFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly markdown: string;
}

/** The Markdown files of a folder and its subfolders. `node_modules`, hidden folders and links are passed over. A wrong folder should fail, not fill the memory. */
function markdownFilesIn(folder: string, isWanted: (path: string) => boolean = () => true): MarkdownFile[] {
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
