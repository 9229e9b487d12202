import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/** The files behind the exports of a package, from its manifest. */
export function publicEntries(packageName: string): string[] {
  const folder = join(root, 'packages', packageName);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: object };
  return Object.values(exports).flatMap((entry: string | Record<string, unknown>) => {
    const source = typeof entry === 'string' ? undefined : entry['@searchgate/source'];
    return typeof source === 'string' ? [join(folder, source)] : [];
  });
}

/** The types exported by files, checked in one program. */
export function programOf(files: readonly string[]): ts.Program {
  return ts.createProgram(files, compilerOptions());
}

/** Every name that a file exports, values and types. */
export function publicNames(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  return exportedSymbols(checker, program.getSourceFile(file)).map(({ name }) => name);
}

/**
 * Optional properties in the public types that do not accept `undefined` under `exactOptionalPropertyTypes`. As `<file>: <text>`.
 * Covers all types reachable from the exports of the files.
 */
export function exactProperties(program: ts.Program, files: readonly string[]): string[] {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Node>();
  const found: string[] = [];
  const symbols = files.flatMap((file) => exportedSymbols(checker, program.getSourceFile(file)));
  const waiting = symbols.flatMap((symbol) => declarationsOf(checker, symbol));
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node) || !isOurs(node)) continue;
    seen.add(node);
    visit(node);
  }
  return found;

  function visit(node: ts.Node): void {
    // Skips values: bodies of functions, defaults, schemas. The base of an interface counts as an expression.
    if (ts.isBlock(node) || (ts.isExpression(node) && !ts.isExpressionWithTypeArguments(node))) return;
    if (isExact(checker, node)) found.push(nameOf(node));
    for (const declaration of referredTo(checker, node)) waiting.push(declaration);
    ts.forEachChild(node, visit);
  }
}

function isExact(checker: ts.TypeChecker, node: ts.Node): boolean {
  if (ts.isTypeReferenceNode(node)) return node.typeName.getText() === 'Partial';
  const isProperty = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isMappedTypeNode(node);
  if (!isProperty || node.questionToken?.kind !== ts.SyntaxKind.QuestionToken || node.type === undefined) return false;
  const type = checker.getTypeFromTypeNode(node.type);
  const accepted = type.isUnion() ? type.types : [type];
  const undefinedTypes = ts.TypeFlags.Undefined | ts.TypeFlags.Unknown | ts.TypeFlags.Any;
  return !accepted.some(({ flags }) => (flags & undefinedTypes) !== 0);
}

export function exportedSymbols(checker: ts.TypeChecker, file: ts.SourceFile | undefined): readonly ts.Symbol[] {
  const module = file && checker.getSymbolAtLocation(file);
  return module === undefined ? [] : checker.getExportsOfModule(module);
}

/** The declarations of a node's type. */
function referredTo(checker: ts.TypeChecker, node: ts.Node): readonly ts.Node[] {
  if (!ts.isTypeReferenceNode(node) && !ts.isExpressionWithTypeArguments(node) && !ts.isTypeQueryNode(node)) return [];
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isTypeQueryNode(node)
      ? node.exprName
      : node.expression;
  const symbol = checker.getSymbolAtLocation(name);
  return symbol === undefined ? [] : declarationsOf(checker, symbol);
}

export function declarationsOf(checker: ts.TypeChecker, symbol: ts.Symbol): readonly ts.Node[] {
  const named = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return named.declarations ?? [];
}

export function isOurs(node: ts.Node): boolean {
  const path = relative(root, node.getSourceFile().fileName);
  return path.startsWith('packages/') && !path.includes('node_modules');
}

function nameOf(node: ts.Node): string {
  return `${relative(root, node.getSourceFile().fileName)}: ${node.getText().replaceAll(/\s+/g, ' ')}`;
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return { ...options, composite: false, noEmit: true, emitDeclarationOnly: false };
}
