import { basename, join } from 'node:path';
import ts from 'typescript';
import { codeBlocks, read, root } from './markdown.js';

/** Folders to search for an example's packages if its document's folder has none: the node_modules of their users. */
const LOOKUP = [
  'packages/core',
  'packages/ai-sdk',
  'packages/client',
  'packages/composed',
  'packages/dialects',
  'packages/express',
  'packages/koa',
  'packages/mcp',
  'packages/webhooks',
  'packages/opentelemetry',
  'packages/prometheus',
  'packages/dashboard',
  'packages/ledger-postgres',
  'packages/server',
  'examples/frameworks',
  'examples/tutorial',
  'examples/recipes',
].map((folder) => join(root, folder, 'example.ts'));

/** Globals of other runtimes. */
const CONTEXT = `
  declare global {
    const Bun: { serve(options: { port: number; fetch: (request: Request) => Promise<Response> }): unknown };
    const Deno: { serve(options: { port: number }, handler: (request: Request) => Promise<Response>): unknown };
  }
  export {};
`;

/** Files that examples import, by name: each is the first TypeScript block on a page. */
const IMPORTED = new Map([
  ['gateway.js', 'docs/embedding.md'],
  ['administration.js', 'docs/administration.md'],
]);

/** TypeScript from a document, or about a document. */
export interface Example {
  readonly document: string;
  /** The line before the example. */
  readonly line: number;
  readonly code: string;
  /** `js` is checked by its JSDoc. Default `ts`. */
  readonly language?: string;
}

/** Every TypeScript and JavaScript block in the documents, except printed files, which their own projects check. */
export function examplesIn(documents: readonly string[]): Example[] {
  return documents.flatMap((document) =>
    codeBlocks(read(document))
      .filter(({ language, file }) => (language === 'ts' || language === 'js') && file === null)
      .map((block) => ({ document, ...block })),
  );
}

/** Type-checks examples, each as a separate module, against the workspace's source. @returns the problems, a line each. */
export function typeErrors(examples: readonly Example[]): string[] {
  const byPath = new Map(examples.map((example) => [pathOf(example), example]));
  const sources = new Map([...byPath].map(([path, { code }]) => [path, `${code}\nexport {};\n`]));
  sources.set(join(root, 'packages', 'core', 'example-context.ts'), CONTEXT);
  const program = ts.createProgram([...sources.keys()], compilerOptions(), hostWith(sources));
  return [...byPath].flatMap(([path, example]) => {
    const file = program.getSourceFile(path);
    const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return diagnostics.map((diagnostic) => describe(diagnostic, example));
  });
}

function pathOf({ document, line, language = 'ts' }: Example): string {
  return join(root, `${document}.${line}.${language}`);
}

function firstExampleOf(page: string): string {
  const [first] = examplesIn([page]);
  if (first === undefined) throw new Error(`${page} has no example`);
  return pathOf(first);
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const forExamples = {
    composite: false,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    emitDeclarationOnly: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  return { ...options, ...forExamples, types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] };
}

function hostWith(sources: ReadonlyMap<string, string>): ts.CompilerHost {
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const cache = ts.createModuleResolutionCache(root, (path) => path, options);
  return {
    ...host,
    jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
    fileExists: (path) => sources.has(path) || host.fileExists(path),
    readFile: (path) => sources.get(path) ?? host.readFile(path),
    getSourceFile(path, languageVersion) {
      const source = sources.get(path);
      if (source === undefined) return host.getSourceFile(path, languageVersion);
      return ts.createSourceFile(path, source, languageVersion);
    },
    resolveModuleNameLiterals(literals, containingFile, redirected, own, source) {
      return literals.map((literal) => {
        const page = IMPORTED.get(basename(literal.text));
        if (page !== undefined && sources.has(containingFile))
          return { resolvedModule: { resolvedFileName: firstExampleOf(page), extension: ts.Extension.Ts } };
        const mode = ts.getModeForUsageLocation(source, literal, own);
        const from = [containingFile, ...(sources.has(containingFile) ? LOOKUP : [])];
        const found = from.map((file) => ts.resolveModuleName(literal.text, file, own, host, cache, redirected, mode));
        return found.find(({ resolvedModule }) => resolvedModule !== undefined) ?? { resolvedModule: undefined };
      });
    },
  };
}

function describe({ file, start, messageText }: ts.Diagnostic, { document, line }: Example): string {
  const offset = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
  return `${document}:${line + offset + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
