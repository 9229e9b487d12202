import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The workspace's root. */
export const root = join(import.meta.dirname, '..', '..', '..');

/** Every document of the repository, relative to the root. */
export function documents(): string[] {
  const folders = [
    '',
    'docs',
    ...childrenOf('docs').filter((path) => !path.includes('.')),
    ...childrenOf('packages'),
    ...childrenOf('examples'),
    ...childrenOf('tools'),
  ];
  return folders.flatMap((folder) =>
    childrenOf(folder).filter((path) => path.endsWith('.md') && !path.endsWith('CHANGELOG.md')),
  );
}

function childrenOf(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => join(folder, name));
}

export function read(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

interface CodeBlock {
  readonly language: string;
  /** The file printed by the block, after `file=`; `null` for the document's own code. */
  readonly file: string | null;
  readonly code: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

const FENCED = /^```(\w*)(?: file=(\S+))?[^\n]*\n([^]*?)^```$/gm;

export function codeBlocks(markdown: string, language?: string): CodeBlock[] {
  return [...markdown.matchAll(FENCED)]
    .map(({ 1: found = '', 2: file = null, 3: code = '', index }) => ({
      language: found,
      file,
      code,
      line: lineAt(markdown, index),
    }))
    .filter((block) => language === undefined || block.language === language);
}

/** A heading with its text, up to the next heading of any level. */
export interface Section {
  readonly heading: string;
  readonly body: string;
}

export function sections(markdown: string): Section[] {
  const [, ...parts] = withoutCode(markdown).split(/^#{1,6} /m);
  return parts.map((part) => {
    const [heading = '', ...body] = part.split('\n');
    return { heading, body: body.join('\n') };
  });
}

/** The link fragments of a document's headings, as GitHub makes them. */
export function anchors(markdown: string): Set<string> {
  return new Set(sections(markdown).map(({ heading }) => anchorOf(heading)));
}

export function links(markdown: string): string[] {
  const prose = withoutCode(markdown).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(({ 1: target = '' }) => target);
}

/** The cells of all table rows, without the heads. */
export function tableRows(markdown: string): string[][] {
  const lines = withoutCode(markdown).split('\n');
  return lines
    .filter((line, index) => line.startsWith('| ') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) => line.slice(1, line.lastIndexOf('|')).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim()));
}

function isRule(line: string): boolean {
  return /^\|(?: ?:?-+:? ?\|)+$/.test(line);
}

function withoutCode(markdown: string): string {
  return markdown.replace(FENCED, '');
}

function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
