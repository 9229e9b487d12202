import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/** The names of an interface's own properties. @param path from `packages/core/src`. */
export function propertiesOf(path: string, name: string): string[] {
  const declaration = declarationOf(path, name);
  if (!ts.isInterfaceDeclaration(declaration)) throw new Error(`${name} in ${path} is no interface`);
  return declaration.members.flatMap(({ name: member }) =>
    member !== undefined && ts.isIdentifier(member) ? [member.text] : [],
  );
}

/** The words of a union of string literals. @param path from `packages/core/src`. */
export function wordsOf(path: string, name: string): string[] {
  const declaration = declarationOf(path, name);
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isUnionTypeNode(declaration.type))
    throw new Error(`${name} in ${path} is no union`);
  return declaration.type.types.flatMap((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
  );
}

function declarationOf(path: string, name: string): ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  const text = readFileSync(join(root, 'packages', 'core', 'src', path), 'utf8');
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const types = statements.filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node));
  const declaration = types.find((node) => node.name.text === name);
  if (declaration === undefined) throw new Error(`there is no ${name} in ${path}`);
  return declaration;
}
