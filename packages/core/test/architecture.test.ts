import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** `leaves` stands for the files directly in src that hold no wiring. */
const LEAVES = 'leaves';
const WIRING = ['index.ts', 'gateway.ts', 'gateway-options.ts', 'close-gateway.ts', 'in-process-calls.ts'];

/** What an outside part needs to know of the inside: contracts, never their implementations. */
const PORTS = [
  'answer/answer.ts',
  'auth/api-key.ts',
  'auth/api-key-registry.ts',
  'catalog/model-entry.ts',
  'ledger/idempotency-store.ts',
  'ledger/ledger.ts',
  'providers/provider.ts',
  'upstream/upstream-client.ts',
];

interface Rule {
  /** Parts of the same package besides the own files: a folder, a single file, or LEAVES. */
  readonly parts: readonly string[];
  /** Packages besides the ones that are free for all. */
  readonly packages?: readonly string[];
}

/** Who may import whom: docs/architecture.md. Wiring files may import everything. */
const CORE_RULES: Record<string, Rule> = {
  [LEAVES]: { parts: [] },
  catalog: { parts: [LEAVES] },
  ledger: { parts: [LEAVES], packages: ['lru-cache'] },
  auth: { parts: [LEAVES], packages: ['lru-cache'] },
  // Wired together by the host: works on the ports of money and keys.
  administration: { parts: ['auth', 'ledger', LEAVES] },
  // Of undici's main entry only the types: see upstream/undici.ts.
  upstream: {
    parts: [LEAVES],
    packages: ['undici', 'undici/lib/core/connect.js', 'undici/lib/dispatcher/pool.js'],
  },
  providers: { parts: ['upstream', 'catalog', LEAVES] },
  routing: { parts: ['catalog', 'providers/provider.ts', LEAVES] },
  answer: {
    parts: ['routing', 'catalog', 'ledger/idempotency-store.ts', 'ledger/ledger.ts', 'providers/provider.ts', LEAVES],
  },
  http: { parts: ['answer', 'auth', 'catalog', 'ledger/idempotency-store.ts', 'ledger/ledger.ts', LEAVES] },
  node: { parts: ['http/gateway-request.ts', ...PORTS, LEAVES] },
  // The HTTP conformance suite builds its gateways as any user does: from the public entry.
  testing: {
    parts: ['index.ts', 'http/gateway-request.ts', 'upstream/upstream-pools.ts', ...PORTS, LEAVES],
    packages: ['fast-check'],
  },
};
const CORE_PACKAGES = ['zod'];

const ADAPTER_PACKAGES = ['@searchgate/core', '@searchgate/core/node'];
const ADAPTER_RULES: Record<string, readonly string[]> = {
  express: [...ADAPTER_PACKAGES, 'express'],
  koa: [...ADAPTER_PACKAGES, 'koa'],
  // The drivers belong to the host: a ledger knows their shape, not their package.
  'ledger-sqlite': ['@searchgate/core', 'zod'],
  'ledger-postgres': ['@searchgate/core', 'zod'],
  'ledger-redis': ['@searchgate/core', 'zod'],
};

interface Import {
  /** Both relative to the package's src. */
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

function partOf(file: string): string {
  const [folder = '', ...rest] = file.split('/');
  return rest.length > 0 ? folder : LEAVES;
}

const isWiring = (file: string) => WIRING.includes(file);
const isBuiltin = (specifier: string) => specifier.startsWith('node:');

function isAllowedInCore({ file, target, relative: isRelative }: Import): boolean {
  const part = partOf(file);
  const rule = CORE_RULES[part];
  if (isWiring(file)) return true;
  if (rule === undefined) return false;
  if (!isRelative) return isBuiltin(target) || [...CORE_PACKAGES, ...(rule.packages ?? [])].includes(target);
  if (isWiring(target) || target.startsWith('..')) return rule.parts.includes(target);
  return [part, ...rule.parts].some((allowed) => allowed === target || allowed === partOf(target));
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

describe('architecture', () => {
  it('lets every part of core import only what the table allows', () => {
    const imports = importsOf('core');
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((entry) => !isAllowedInCore(entry)).map(show)).toEqual([]);
  });

  it.each(Object.entries(ADAPTER_RULES))(
    'lets the %s adapter import only the public core and its framework',
    (name, allowed) => {
      const strangers = importsOf(name).filter(
        ({ target, relative: isRelative }) =>
          (isRelative && target.startsWith('..')) || (!isRelative && !isBuiltin(target) && !allowed.includes(target)),
      );
      expect(strangers.map(show)).toEqual([]);
    },
  );

  it.each(['core', ...Object.keys(ADAPTER_RULES)])('finds no import cycle in %s, not even between types', (name) => {
    expect(findCycle(importsOf(name))?.join(' → ')).toBeUndefined();
  });
});
