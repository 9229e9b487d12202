import { relative } from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';
import { declarationsOf, exportedSymbols, isOurs } from './public-types.js';

/**
 * What hosts can see and no comment describes: names that files export, and fields of their types. As `<file>: <name>`. A field within a field is described
 * by the comment of the outer field.
 */
export function undescribed(program: ts.Program, files: readonly string[]): string[] {
  const checker = program.getTypeChecker();
  return placesIn(program, files, (declarations) => {
    const fields = declarations.filter(isType).flatMap((type) => fieldsOf(checker, type));
    return [...(declarations.some(isDescribed) ? [] : declarations.slice(0, 1)), ...fields.filter(isSilent)];
  });
}

/** Optional fields of exported options whose comments have no `@default`. A type whose fields have the same default says so once. */
export function withoutDefault(program: ts.Program, files: readonly string[]): string[] {
  const checker = program.getTypeChecker();
  return placesIn(program, files, (declarations) => {
    const options = declarations.filter(
      (type) => ts.isInterfaceDeclaration(type) && type.name.text.endsWith('Options'),
    );
    const fields = options.filter(hasNoDefault).flatMap((type) => fieldsOf(checker, type));
    return fields.filter(
      (field) => 'questionToken' in field && field.questionToken !== undefined && hasNoDefault(field),
    );
  });
}

type Declarations = readonly ts.Node[];

function placesIn(program: ts.Program, files: readonly string[], find: (each: Declarations) => Declarations): string[] {
  const checker = program.getTypeChecker();
  const symbols = new Set(files.flatMap((file) => exportedSymbols(checker, program.getSourceFile(file))));
  const found = [...symbols].flatMap((symbol) => find(declarationsOf(checker, symbol).filter(isOurs)));
  return [...new Set(found)].map(placeOf);
}

/** Also of the types that a type extends, or is made of. */
function fieldsOf(checker: ts.TypeChecker, type: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const seen = new Set<ts.Node>([type]);
  const visit = (node: ts.Node): void => {
    if (isField(node)) found.push(node);
    else if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const part = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression);
      const parts = part === undefined ? [] : declarationsOf(checker, part);
      for (const each of parts.filter((one) => isOurs(one) && isType(one) && !seen.has(one))) {
        seen.add(each);
        ts.forEachChild(each, visit);
      }
    } else ts.forEachChild(node, visit);
  };
  ts.forEachChild(type, visit);
  return found;
}

function isType(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

/** Not a private field, nor a field that is described where it is first declared, nor a field of one word, such as `type: 'request_finished'`. */
function isField(node: ts.Node): boolean {
  const isMethod = ts.isMethodSignature(node) || ts.isMethodDeclaration(node);
  const isProperty = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node);
  if (!isMethod && !isProperty) return false;
  if (ts.isPrivateIdentifier(node.name) || (ts.getCombinedModifierFlags(node) & HIDDEN) !== 0) return false;
  const isOneWord = isProperty && node.type !== undefined && ts.isLiteralTypeNode(node.type);
  return !isOneWord && !(ts.isPropertyDeclaration(node) && node.initializer !== undefined);
}

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Override;

function isDescribed(node: ts.Node): boolean {
  // The comment of `export const a = …` belongs to the statement.
  return ts.getJSDocCommentsAndTags(ts.isVariableDeclaration(node) ? node.parent.parent : node).length > 0;
}

const isSilent = (node: ts.Node) => !isDescribed(node);

function hasNoDefault(node: ts.Node): boolean {
  return ts.getJSDocTags(node).every(({ tagName }) => tagName.text !== 'default');
}

function placeOf(node: ts.Node): string {
  const names: string[] = [];
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    const { name } = at as Partial<ts.NamedDeclaration>;
    if (name !== undefined) names.unshift(name.getText());
  }
  return `${relative(root, node.getSourceFile().fileName)}: ${names.join('.')}`;
}
