import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { read, tableRows } from './markdown.js';

/** The leaf folder that imports no other: every folder may import it. */
const LEAVES = ['base'];
/** Entries of the package other than the index of a folder. */
const ENTRIES = ['admin/metrics.ts', 'http/extensions.ts', 'http/openapi/open-api-document.ts', 'providers/exports.ts'];
/** The files directly in src. They wire the parts together and may import everything. */
const WIRING = ['index.ts', 'gateway.ts', 'gateway-options.ts', 'gateway-schema.ts'];

/** The contracts that an outer part may know of an inner part, never implementations. */
const PORTS = [
  'call/answer.ts',
  'auth/api-key.ts',
  'auth/api-key-registry.ts',
  'catalog/model-entry.ts',
  'ledger/idempotency-store.ts',
  'ledger/ledger.ts',
  'provider-kit/provider.ts',
  'upstream/upstream-client.ts',
];

interface Rule {
  /** Allowed imports besides the own files and the leaves: a folder or a single file. */
  readonly parts: readonly string[];
  /** Allowed packages besides those free for all. */
  readonly packages?: readonly string[];
}

/** The allowed imports besides the base: docs/architecture.md. */
const CORE_RULES: Record<string, Rule> = {
  base: { parts: [] },
  limits: { parts: ['provider-kit/provider.ts'], packages: ['lru-cache'] },
  catalog: { parts: [], packages: ['lru-cache'] },
  text: { parts: [] },
  ledger: { parts: [] },
  // A ledger package implements the ports of money and keys: contracts and checks have one entry.
  'ledger/index.ts': { parts: ['ledger', 'auth'] },
  'ledger/durable-ledger.ts': {
    parts: ['ledger', 'auth/api-key-registry.ts', 'auth/create-api-key-registry.ts', 'auth/tenant-key-store.ts'],
  },
  auth: { parts: ['limits'], packages: ['lru-cache'] },
  // Wired by the host: uses the ports of money and keys, and reads the state of a gateway.
  admin: {
    parts: [
      'call/settler.ts',
      'call/attempts-under-way.ts',
      'auth',
      'kinds/kinds.ts',
      'ledger',
      'limits',
      'routing/circuit-breaker.ts',
    ],
    packages: ['lru-cache'],
  },
  upstream: { parts: [], packages: ['undici', 'undici/lib/core/connect.js', 'undici/lib/dispatcher/pool.js'] },
  'provider-kit': { parts: ['upstream', 'text', 'catalog'] },
  providers: { parts: ['provider-kit', 'upstream', 'text', 'catalog'] },
  routing: { parts: ['catalog', 'provider-kit/provider.ts'] },
  // What a kind of calls is. It knows of money, keys and routes only what its callers name.
  kinds: {
    parts:
      'catalog text provider-kit/provider.ts ledger/ledger.ts limits/provider-limits.ts auth/key-identity.ts routing/routing-preferences.ts'.split(
        ' ',
      ),
  },
  // The one pipeline knows the contract of a call, and no kind.
  call: {
    parts:
      'kinds/call-options.ts kinds/kind-call.ts kinds/sold-units.ts routing limits catalog text ledger/idempotency-store.ts ledger/ledger.ts provider-kit/provider.ts auth/tenant-keys.ts'.split(
        ' ',
      ),
    packages: ['lru-cache'],
  },
  request: {
    parts: ['call', 'auth', 'kinds', 'ledger', 'limits', 'provider-kit/provider.ts', 'routing', 'upstream'],
  },
  http: {
    parts:
      'auth/api-key.ts kinds request limits routing catalog/model-entry.ts text/own-markers.ts ledger/ledger.ts'.split(
        ' ',
      ),
  },
  node: { parts: ['auth/client-address.ts', 'http/gateway-request.ts', 'http/mount-path.ts', ...PORTS] },
};
const CORE_PACKAGES = ['zod'];

const LEDGER_PACKAGES = ['@searchgate/core/ledger', 'zod'];
const ADAPTER_PACKAGES = ['@searchgate/core', '@searchgate/core/node'];
const ADAPTER_RULES: Record<string, readonly string[]> = {
  // Types only: the test of its bundle finds no code of another package.
  client: ['@searchgate/core', '@searchgate/core/extensions'],
  express: [...ADAPTER_PACKAGES, 'express'],
  koa: [...ADAPTER_PACKAGES, 'koa'],
  dialects: ['@searchgate/core', '@searchgate/core/extensions', '@searchgate/core/provider-kit'],
  mcp: ['@searchgate/core/extensions', '@searchgate/core/provider-kit', 'zod'],
  composed: ['@searchgate/core/provider-kit', 'zod'],
  webhooks: ['@searchgate/core', '@searchgate/core/extensions', '@searchgate/core/ledger', 'standardwebhooks', 'zod'],
  opentelemetry: ['@searchgate/core', '@searchgate/core/extensions', '@searchgate/core/metrics', '@opentelemetry/api'],
  prometheus: ['@searchgate/core/metrics', 'prom-client'],
  // Its page is built separately and knows only the types of `api/contract.ts`.
  dashboard: [...ADAPTER_PACKAGES, '@searchgate/core/administration', '@searchgate/core/ledger', 'zod'],
  // Uses only the public entries, like the suites of any author.
  testing: [
    ...ADAPTER_PACKAGES,
    '@searchgate/core/ledger',
    '@searchgate/core/provider-kit',
    '@searchgate/dialects',
    'fast-check',
  ],
  // A client: takes only types of wire bodies from core.
  'ai-sdk': ['@searchgate/core', '@ai-sdk/provider', '@ai-sdk/provider-utils', 'zod'],
  // The drivers belong to the host: a ledger knows only their shape.
  'ledger-sqlite': LEDGER_PACKAGES,
  'ledger-postgres': LEDGER_PACKAGES,
  'ledger-redis': LEDGER_PACKAGES,
};

/** Where a package reads its own version. */
const MANIFEST = '../package.json';

/**
 * A cache shared by all organizations: one of them can push out the entries of others. Losing an entry may cost no more than listed here. State that must
 * not be lost is in `limits/`, where each organization has its share.
 */
const SHARED_CACHES: Record<string, string> = {
  'admin/alert-publisher.ts': 'one more claim of an alert that was emitted',
  'auth/cached-api-keys.ts': 'one more look-up of a key',
  'call/own-keys.ts': 'one more look-up of a key, whose circuit begins anew',
  'call/rate-limit-cache.ts': 'one more question to the ledger',
  'catalog/cost-history.ts': 'a hold by the list price',
  'limits/auth-failure-limit.ts': 'the failures of the address that failed the longest ago',
  'limits/refused-calls.ts': 'the refusals of the key that was refused the longest ago',
};

interface Import {
  /** Both relative to the src folder of the package. */
  readonly file: string;
  /** A file of the same src, or the specifier of a package. */
  readonly target: string;
  readonly relative: boolean;
}

const packagesFolder = join(import.meta.dirname, '..', '..');

/** Every import of a package's published source: static, dynamic, `import type`, `export … from`. */
function importsOf(packageName: string): Import[] {
  const src = join(packagesFolder, packageName, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.split('/').includes('fixtures'),
  );
  return files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(src, file), 'utf8'), true, true);
    return importedFiles.map(({ fileName }) => {
      if (!fileName.startsWith('.')) return { file, target: fileName, relative: false };
      const target = relative(src, join(src, dirname(file), fileName)).replace(/\.js$/, '.ts');
      return { file, target, relative: true };
    });
  });
}

/** The folder of a file; for a file outside of folders, the file itself. */
function partOf(file: string): string {
  return file.split('/')[0] ?? file;
}

const isWiring = (file: string) => WIRING.includes(file);
/** The exports of the package. No file inside imports them. */
const isEntry = (file: string) => isWiring(file) || /^[\w-]+\/index\.ts$/.test(file) || ENTRIES.includes(file);
const isBuiltin = (specifier: string) => specifier.startsWith('node:');

function isAllowedInCore({ file, target, relative: isRelative }: Import): boolean {
  const part = partOf(file);
  const rule = CORE_RULES[file] ?? CORE_RULES[part];
  if (isWiring(file)) return true;
  if (rule === undefined) return false;
  if (!isRelative) return isBuiltin(target) || [...CORE_PACKAGES, ...(rule.packages ?? [])].includes(target);
  // An entry may be wider than another.
  if ((isEntry(target) && !ENTRIES.includes(file)) || target.startsWith('..')) return false;
  return [part, ...LEAVES, ...rule.parts].some((allowed) => allowed === target || allowed === partOf(target));
}

/** The files of one import cycle, first file repeated at the end, or undefined. */
function findCycle(imports: Import[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target]);
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

const show = ({ file, target }: Import) => `${file} → ${target}`;

/** The files of each step in docs/architecture.md, from the host to the vendor and back. A reader opens the first one of each. */
function wayOfQuestion(): string[][] {
  const [way = ''] = read('docs/architecture.md').split('## Rooms');
  const steps = tableRows(way).map(([, cell = '']) =>
    [...cell.matchAll(/core\/src\/([^)]+)\)/g)].map(([, file = '']) => file),
  );
  return steps.filter((files) => files.length > 0);
}

/** Contracts by which a file hands work to an implementation that it does not import. */
const HANDED_OVER = [...PORTS, 'http/gateway-request.ts'];
/** Most lines of the imports of a file on the way: they fit on one screen. */
const SCREEN = 40;

describe('architecture', () => {
  it('shows the way of a question in 16 files, each of which leads to the next', () => {
    const steps = wayOfQuestion();
    const way = steps.map(([first = '']) => first);
    expect(way).toHaveLength(16);
    const imports = importsOf('core');
    const targetsOf = (file: string) => imports.filter((each) => each.file === file).map(({ target }) => target);
    const strays = way.slice(1).filter((file, index) => {
      const known = new Set(
        steps
          .slice(0, index + 1)
          .flat()
          .flatMap(targetsOf),
      );
      const contracts = targetsOf(file).filter((target) => HANDED_OVER.includes(target));
      return !known.has(file) && !contracts.some((target) => known.has(target));
    });
    expect(strays).toEqual([]);
    const long = way.filter((file) => {
      const source = ts.createSourceFile(file, read(`packages/core/src/${file}`), ts.ScriptTarget.Latest);
      const last = source.statements.findLast(ts.isImportDeclaration);
      return last !== undefined && source.getLineAndCharacterOfPosition(last.end).line >= SCREEN;
    });
    expect(long).toEqual([]);
  });

  it('keeps nothing loose at the root of core', () => {
    const loose = new Set(
      importsOf('core')
        .map(({ file }) => file)
        .filter((file) => !file.includes('/')),
    );
    expect([...loose].sort()).toEqual([...WIRING].sort());
  });

  it('has one row of docs/architecture.md for each room of core', () => {
    const rows = tableRows(read('docs/architecture.md')).map(([cell = '']) => /^`([\w-]+)\/`$/.exec(cell)?.[1]);
    const folders = readdirSync(join(packagesFolder, 'core', 'src')).filter((name) => !name.includes('.'));
    expect(rows.filter((name) => name !== undefined).toSorted()).toEqual(folders.toSorted());
  });

  it('lets every part of core import only what the table allows', () => {
    const imports = importsOf('core');
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((entry) => !isAllowedInCore(entry)).map(show)).toEqual([]);
  });

  it('keeps only expendable entries in caches that organizations share', () => {
    const caching = importsOf('core').filter(({ target }) => target === 'lru-cache');
    expect(caching.map(({ file }) => file).sort()).toEqual(Object.keys(SHARED_CACHES));
  });

  it.each(Object.entries(ADAPTER_RULES))(
    'lets the package %s import only public entries of core, and its own dependencies',
    (name, allowed) => {
      const strangers = importsOf(name).filter(
        ({ target, relative: isRelative }) =>
          (isRelative && target.startsWith('..') && target !== MANIFEST) ||
          (!isRelative && !isBuiltin(target) && !allowed.includes(target)),
      );
      expect(strangers.map(show)).toEqual([]);
    },
  );

  it('looks up no name in a table by `in`, which finds `constructor` in every object', () => {
    const sources = readdirSync(packagesFolder).flatMap((name) => {
      const files = readdirSync(join(packagesFolder, name, 'src'), { recursive: true, encoding: 'utf8' });
      return files.filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file)).map((file) => `${name}/src/${file}`);
    });
    expect(sources.length).toBeGreaterThan(300);
    const found = sources.flatMap((file) => {
      const source = ts.createSourceFile(file, read(`packages/${file}`), ts.ScriptTarget.Latest);
      const lookUps: string[] = [];
      const visit = (node: ts.Node): void => {
        const isLookUp = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword;
        if (isLookUp && !ts.isStringLiteral(node.left)) lookUps.push(`${file}: ${node.getText(source)}`);
        ts.forEachChild(node, visit);
      };
      visit(source);
      return lookUps;
    });
    expect(found).toEqual([]);
  });

  it('finds no cycle between the folders of core', () => {
    const between = importsOf('core')
      .filter(
        ({ file, target, relative: isRelative }) => isRelative && !isEntry(file) && partOf(file) !== partOf(target),
      )
      .map((entry) => ({ ...entry, file: partOf(entry.file), target: partOf(entry.target) }));
    expect(between.length).toBeGreaterThan(0);
    expect(findCycle(between)?.join(' → ')).toBeUndefined();
  });

  it.each(['core', ...Object.keys(ADAPTER_RULES)])('finds no import cycle in %s, not even between types', (name) => {
    expect(findCycle(importsOf(name))?.join(' → ')).toBeUndefined();
  });
});
