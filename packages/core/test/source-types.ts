import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/** The names of an interface's own properties, and of those that it picks from another type. @param path from `packages/core/src`. */
export function propertiesOf(path: string, name: string): string[] {
  const declaration = declarationOf(path, name);
  if (!ts.isInterfaceDeclaration(declaration)) throw new Error(`${name} in ${path} is no interface`);
  const own = declaration.members.flatMap(({ name: member }) =>
    member !== undefined && ts.isIdentifier(member) ? [member.text] : [],
  );
  const bases = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText()));
  const picked = bases
    .filter((base) => base.startsWith('Pick<'))
    .flatMap((base) => base.match(/(?<=')\w+(?=')/g) ?? []);
  return [...own, ...picked];
}

/** The names of the fields in the first object of a constant, also of constants that it spreads. @param path from `packages/core/src`. */
export function fieldsOf(path: string, name: string): string[] {
  const statement = sourceOf(path).statements.find(
    (node) => ts.isVariableStatement(node) && node.declarationList.declarations[0]?.name.getText() === name,
  );
  const visit = (node: ts.Node): ts.ObjectLiteralExpression | undefined =>
    ts.isObjectLiteralExpression(node) ? node : ts.forEachChild(node, visit);
  const fields = statement && visit(statement);
  if (fields === undefined) throw new Error(`${name} in ${path} has no fields`);
  return fields.properties.flatMap((property) =>
    ts.isSpreadAssignment(property) ? fieldsOf(path, property.expression.getText()) : property.name.getText(),
  );
}

/** The members of a union of string literals. @param path from `packages/core/src`. */
export function wordsOf(path: string, name: string): string[] {
  const declaration = declarationOf(path, name);
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isUnionTypeNode(declaration.type))
    throw new Error(`${name} in ${path} is no union`);
  return declaration.type.types.flatMap((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
  );
}

function declarationOf(path: string, name: string): ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  const { statements } = sourceOf(path);
  const types = statements.filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node));
  const declaration = types.find((node) => node.name.text === name);
  if (declaration === undefined) throw new Error(`there is no ${name} in ${path}`);
  return declaration;
}

function sourceOf(path: string): ts.SourceFile {
  const text = readFileSync(join(root, 'packages', 'core', 'src', path), 'utf8');
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}
