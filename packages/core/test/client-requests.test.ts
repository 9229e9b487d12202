import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { wireName } from '../src/http/wire-name.js';
import embeddings from '../src/kinds/foreign-names/embeddings.json' with { type: 'json' };
import everyKind from '../src/kinds/foreign-names/every-kind.json' with { type: 'json' };
import rerank from '../src/kinds/foreign-names/rerank.json' with { type: 'json' };
import search from '../src/kinds/foreign-names/search.json' with { type: 'json' };
import { KINDS } from '../src/kinds/kinds.js';
import { root } from './markdown.js';

// Paths in the form of another service take the requests of its client unchanged: every field of the client's types has its row in a table.

interface ClientCase {
  readonly kind: 'search' | 'rerank' | 'embeddings';
  readonly table: { readonly client: string };
  /** The types of its requests, by their files. */
  readonly types: readonly (readonly [path: string, type: string])[];
}

const CASES: readonly ClientCase[] = [
  { kind: 'search', table: search, types: [['dist/generated/api.d.ts', 'ApiSearchRequestInput']] },
  { kind: 'embeddings', table: embeddings, types: [['resources/embeddings.d.ts', 'EmbeddingCreateParams']] },
  {
    kind: 'rerank',
    table: rerank,
    types: [
      ['dist/serialization/client/requests/RerankRequest.d.ts', 'Raw'],
      ['dist/serialization/resources/v2/client/requests/V2RerankRequest.d.ts', 'Raw'],
    ],
  },
];

/** The names of the properties of a type that a declaration file has once. */
function propertiesIn(path: string, type: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const members = membersOf(node, type) ?? [];
    found.push(...members.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : [])));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function membersOf(node: ts.Node, type: string): readonly ts.TypeElement[] | undefined {
  if (ts.isInterfaceDeclaration(node) && node.name.text === type) return [...node.members];
  const isAlias = ts.isTypeAliasDeclaration(node) && node.name.text === type;
  return isAlias && ts.isTypeLiteralNode(node.type) ? [...node.type.members] : undefined;
}

describe.each(CASES)('the fields of the client of another service for $kind', ({ kind, table, types }) => {
  const [, name = '', version] = /^(.+) (\S+)$/.exec(table.client) ?? [];
  const folder = join(root, 'examples', 'clients', 'node_modules', name);

  it('are those of the installed version', () => {
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({ version });
  });

  it.each(types)('in %s are honored, ignored or refused by name', (path, type) => {
    const { request } = KINDS[kind];
    const own = Object.keys(request.fields(1).shape).map(wireName);
    const { replacements, ignored = [], refused = [] } = request.foreignNames;
    const inTables = [everyKind.replacements, replacements].flatMap((each) =>
      Object.values<readonly string[]>(each).flat(),
    );
    const rows = new Set([
      ...own,
      ...(request.translated ?? []),
      ...everyKind.ignored,
      ...ignored,
      ...refused,
      ...inTables,
    ]);
    const fields = propertiesIn(join(folder, path), type);
    expect(fields).toContain(kind === 'embeddings' ? 'input' : 'query');
    expect(fields.filter((field) => !rows.has(field))).toEqual([]);
  });
});
