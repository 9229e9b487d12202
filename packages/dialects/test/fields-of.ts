import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';

const { resolve } = createRequire(import.meta.url);

/** The fields of an interface of an installed client. */
export function fieldsOf(module: string, name: string): string[] {
  const file = resolve(module).replace(/\.js$/, '.d.ts');
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found = source.statements
    .filter(ts.isInterfaceDeclaration)
    .find((declaration) => declaration.name.text === name);
  if (found === undefined || found.heritageClauses !== undefined)
    throw new Error(`${module} has no interface ${name} whose fields are all its own`);
  return found.members.flatMap((member) => (ts.isPropertySignature(member) ? [member.name.getText(source)] : []));
}
