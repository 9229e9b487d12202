import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Tests, what they replay, and the rows of the models, which are data. */
const LEFT_OUT = /\.test\.ts$|(?:^|[/\\])(?:fixtures|dist|node_modules)[/\\]|[/\\][a-z]+-models\.ts$/;

/** How many lines of the TypeScript in a folder hold code: no comments, and nothing that is empty. */
export function linesOfCode(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !LEFT_OUT.test(file));
  return sources.reduce((sum, file) => sum + linesWithCode(readFileSync(join(folder, file), 'utf8')), 0);
}

/** How many lines of a source file hold code. A text over several lines is code on each of them. */
export function linesWithCode(source: string): number {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest);
  const lines = new Set<number>();
  const visit = (node: ts.Node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    if (children.length > 0 || node.getWidth(file) === 0) return;
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = first; line <= last; line += 1) lines.add(line);
  };
  visit(file);
  return lines.size;
}
