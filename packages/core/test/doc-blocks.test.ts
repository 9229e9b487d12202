import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chatCompletions, responses } from '@searchgate/dialects';
import { fakeProvider } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createGateway, memoryLedger, toFetchHandler } from '../src/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { codeBlocks, documents, links, read, root } from './markdown.js';

/** A process per block takes about 0.3 s in all, longer on a busy machine. */
const SLOW_PROCESSES_MS = 60_000;

const blocks = documents().flatMap((document) => codeBlocks(read(document)).map((block) => ({ document, ...block })));
const at = ({ document, line }: { document: string; line: number }) => `${document}:${line}`;

/** The files of an example that a page prints for readers to copy. */
function filesToCopy(folder: string, helpers: RegExp): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => !name.endsWith('.test.ts') && !helpers.test(name))
    .map((name) => `${folder}/${name}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the code blocks of the documents', () => {
  it('are in a checked language, or only for display', () => {
    const known = ['ts', 'js', 'json', 'sh', 'html', 'text', 'mermaid', 'sql', 'python'];
    expect(blocks.filter(({ language }) => !known.includes(language)).map(at)).toEqual([]);
  });

  it('print files of the repository unchanged', () => {
    const printed = blocks.filter(({ file }) => file !== null);
    const differ = printed.filter(({ file, code }) => !existsSync(join(root, file ?? '')) || read(file ?? '') !== code);
    expect(differ.map(at)).toEqual([]);
  });

  it('print or link every file for copying of the frameworks, the recipes, the tutorial and the clients', () => {
    const files = [
      ...filesToCopy('examples/frameworks/src', /^test-hosts\.ts$/),
      ...filesToCopy('examples/recipes/src', /^test-gateway\.ts$/),
      ...['src', 'public'].flatMap((folder) => filesToCopy(`examples/tutorial/${folder}`, /^$/)),
      ...filesToCopy('examples/clients/src', /^(?:(?:test|vector)-server\.ts|fixtures)$/),
    ];
    expect(files.length).toBeGreaterThan(9);
    const texts = documents().map(read);
    const isShown = (file: string) =>
      blocks.some((block) => block.file === file) || texts.some((text) => text.includes(`/${file})`));
    expect(files.filter((file) => !isShown(file))).toEqual([]);
  });

  it(
    'are shell commands of valid syntax',
    () => {
      const commands = blocks.filter(({ language }) => language === 'sh');
      expect(commands.length).toBeGreaterThan(9);
      const wrong = commands.filter(({ code }) => spawnSync('sh', ['-n'], { input: code }).status !== 0);
      expect(wrong.map(at)).toEqual([]);
    },
    SLOW_PROCESSES_MS,
  );

  it('declare no missing name', () => {
    const modules = blocks.filter(({ language }) => language === 'ts' || language === 'js');
    expect(modules.length).toBeGreaterThan(50);
    expect(modules.filter(({ code }) => /^\s*declare (?!module|global)/m.test(code)).map(at)).toEqual([]);
  });

  it('name scripts, projects and paths that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const projects = read('vitest.config.ts');
    const isMissing: readonly (readonly [RegExp, (name: string) => boolean])[] = [
      [/\bnpm run ([\w:-]+)/g, (script) => !(script in scripts)],
      [/--project ([\w-]+)/g, (project) => !projects.includes(`'${project}'`)],
      [
        /(?<![\w./-])((?:docs|examples|packages|tools)\/[\w./-]*\w)(?![\w./*…<{‹-])/g,
        (path) => !existsSync(join(root, path)),
      ],
    ];
    const written = documents().flatMap((document) => {
      const text = read(document);
      const spans = [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
      return [...spans, ...codeBlocks(text, 'sh').map(({ code }) => code)].map((code) => ({ document, code }));
    });
    const named = written.flatMap(({ document, code }) =>
      isMissing.flatMap(([form, check]) =>
        [...code.matchAll(form)].map(([words, name = '']) => ({ words: `${document}: ${words}`, isGone: check(name) })),
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ isGone }) => isGone).map(({ words }) => words)).toEqual([]);
  });

  it('are JSON that can be parsed', () => {
    const replies = blocks.filter(({ language }) => language === 'json');
    expect(replies.length).toBeGreaterThan(0);
    expect(replies.filter(({ code }) => !isJson(code)).map(at)).toEqual([]);
  });
});

/** A provider with one model, of the kind that a path serves. */
function providerAt(path: string, slug: string, isInJson = false): Provider {
  const [id = ''] = slug.split('/');
  const options = { includeDomains: { as: 'sites' }, freshness: { as: 'age' } };
  const features = ['citations', 'streaming', 'multi_turn', 'json_schema', 'instructions', 'max_output_tokens'];
  const fake = fakeProvider({
    id,
    models: [{ slug, options, features }],
    replies: [isInJson ? '"A fake answer."' : 'A fake answer.'],
  });
  const { name, models } = fake;
  const page = { url: 'https://nodejs.org/en/blog', content: 'A fake answer.' };
  const found = () => Promise.resolve({ results: [page], cost: {} });
  const extracted = () => Promise.resolve({ pages: [page], cost: {} });
  if (path === '/api/v1/search') return { id, name, models: [], search: { models, search: found } };
  const document = () => Promise.resolve({ ranks: [{ index: 1, score: 0.98 }], cost: {} });
  const vectors = () => Promise.resolve({ embeddings: [{ index: 0, vector: [1] }], cost: {} });
  if (path === '/api/v1/rerank') return { id, name, models: [], rerank: { models, rerank: document } };
  if (path === '/api/v1/embeddings') return { id, name, models: [], embed: { models, maxInputs: 20, embed: vectors } };
  if (path === '/api/v1/extract') return { id, name, models: [], extract: { models, maxUrls: 20, extract: extracted } };
  return fake;
}

describe('the requests that documents print', () => {
  const bodies = blocks.flatMap((block) => {
    if (block.language === 'json') return [{ ...block, path: '/api/v1/answer', body: block.code }];
    const [, path = '', body = ''] = /(\/api\/v1\/[\w/]+)[^]*? -d '(\{[^]*?\})'/.exec(block.code) ?? [];
    return block.language === 'sh' ? [{ ...block, path, body }] : [];
  });
  const requests = bodies
    .filter(({ body }) => isJson(body))
    .map(({ body, ...block }) => ({ ...block, body: JSON.parse(body) as Record<string, unknown> }))
    .filter(
      ({ body }) => 'query' in body || 'urls' in body || 'input' in body || ('messages' in body && !('object' in body)),
    );

  it.each(requests.map((request) => [at(request), request] as const))('%s is answered', async (_at, { path, body }) => {
    const { model, routing } = body as { model: string; routing?: { fallbacks?: string[] } };
    const slugs = [model, ...(routing?.fallbacks ?? [])];
    const gateway = createGateway({
      providers: slugs.map((slug) => providerAt(path, slug, 'response_format' in body)),
      ledger: memoryLedger({ credits: { acme: '1' } }),
      authenticate: () => ({ id: 'reader', organizationId: 'acme' }),
      endpoints: { chatCompletions: chatCompletions(), responses: responses() },
    });
    const request = new Request(`http://localhost${path.replace(/^.*(?=\/api\/)/, '')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const response = await toFetchHandler(gateway)(request);
    const given = path === '/api/v1/embeddings' ? '"embedding":"AACAPw=="' : 'A fake answer.';
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(given)]);
    await gateway.close();
  });

  it('exist', () => {
    expect(requests.length).toBeGreaterThan(8);
    expect(requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['answer', 'search', 'extract', 'rerank', 'embeddings'].map((name) => `/api/v1/${name}`)),
    );
  });
});

describe('docs/README.md', () => {
  it('links to every page except single providers and decisions', () => {
    const pages = documents().filter((path) => /^docs\/(?!README|providers\/|decisions\/)/.test(path));
    const linked = links(read('docs/README.md')).map((target) => join('docs', target.split('#')[0] ?? ''));
    expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
  });
});
