import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ConfigurationError, createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { providerConformance } from '@searchgate/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderDocuments, MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from '../src/documents.js';
import { type LocalDocsOptions, localDocs } from '../src/local-docs-provider.js';
import { passagesOf } from '../src/passages.js';

const page = (markdown: string) => ({ source: 'shop', url: 'https://example.org/shop.md', markdown });
const documents = [page('# Shop\n\n## Opening hours\n\nThe shop opens at [nine](a.md) and closes at five [1].')];
const snippet = 'The shop opens at nine and closes at five (1).';
const citation = { title: 'shop › Opening hours', url: 'https://example.org/shop.md#opening-hours', snippet };
const apiKey = 'sg_test_key_of_the_local_docs_tests';

function gatewayOver(options: LocalDocsOptions) {
  return createGateway({
    providers: [localDocs(options)],
    apiKeys: memoryApiKeys([{ apiKey, label: 'test', organizationId: 'acme', limit: '1.00' }]),
    ledger: memoryLedger({ credits: { acme: '5.00' } }),
  });
}

/** The suite's tests of HTTP do not apply: this provider sends no requests and has no key. */
const OF_HTTP = /^(?:sends a proper request|hides the key|reads past informational replies|classifies )/;
const zephyr = 'The Zephyr Bridge opened in 1999. Its key x ended 1 or 2 years later.';
const run: (name: string, body: () => Promise<void> | void) => void = it;
const runner = {
  describe,
  it: (name: string, body: () => Promise<void> | void) => (OF_HTTP.test(name) ? undefined : run(name, body)),
  secret: 'there-is-no-key-to-keep',
  evidence: { reply: 'valid JSON' },
} as const;
const bridges = { ...page(`# Zephyr Bridge\n\n${zephyr}`), source: 'bridges' };
const answer = {
  text: `Zephyr Bridge: ${zephyr} [1]`,
  citations: [{ title: 'bridges › Zephyr Bridge', url: bridges.url, snippet: zephyr }],
  cost: {},
};
providerConformance({
  ...runner,
  create: () => localDocs({ documents: [bridges] }),
  fixtures: [{ name: 'a question the documents answer', model: 'local/docs', reply: {}, answer }],
});
describe('localDocs', () => {
  it('answers from its documents through a gateway, cited and charged at its price', async () => {
    const gateway = gatewayOver({ documents, price: '0.002' });
    const reply = await gateway.answer({ apiKey, model: 'local/docs', query: 'When does the shop open?' });
    const expected = { answer: `Opening hours: ${snippet} [1]`, citations: [citation], usage: { cost: 0.002 } };
    expect(reply).toMatchObject(expected);
    await gateway.close();
  });

  it('refuses questions outside its documents without a charge; its price is 0.001', async () => {
    const gateway = gatewayOver({ documents });
    const asking = gateway.answer({ apiKey, model: 'local/docs', query: 'Who built the pyramids?' });
    await expect(asking).rejects.toMatchObject({ reason: 'no_answer_found', status: 400, retryable: false });
    expect(await gateway.credits({ apiKey })).toEqual({ totalCredits: 5, totalUsage: 0 });
    const model = gateway.models({ category: 'answer' }).find(({ id }) => id === 'local/docs');
    expect(model).toMatchObject({ pricing: { request: '0.001' } });
    await gateway.close();
  });

  it('answers each of many questions in its own turn of the event loop', async () => {
    const gateway = gatewayOver({ documents });
    const [counting, turns] = [new AbortController(), new Set<number>()];
    let turn = 0;
    const ask = () => gateway.answer({ apiKey, model: 'local/docs', query: 'When does the shop open?' });
    const asking = Promise.all(Array.from({ length: 20 }, () => ask().then(() => turns.add(turn))));
    void asking.finally(() => counting.abort());
    for (; !counting.signal.aborted; turn += 1) await setImmediate();
    expect(turns.size).toBe(20);
    await gateway.close();
  });

  it.each<[string, unknown, string]>([
    ['an unknown option', { document: [] }, 'Did you mean "documents"?'],
    ['a price that is no amount', { documents, price: 'free' }, 'localDocs.price: found "free", expected a decimal'],
    ['no documents', { documents: [] }, 'localDocs.documents: found an array of 0, expected at least one document'],
    ['a private address', { documents: [{ ...page(''), url: 'file:///a.md' }] }, 'localDocs.documents[0].url'],
  ])('refuses %s', (_, options, message) => {
    const build = () => localDocs(options as LocalDocsOptions);
    expect(build).toThrow(ConfigurationError);
    expect(build).toThrow(message);
  });
});

it('splits long tables, examples and lines into passages of valid Markdown', () => {
  const rows = Array.from({ length: 60 }, (_, row) => `| ${row} | ${'cell '.repeat(10)}|`).join('\n');
  const code = 'call();\n'.repeat(400);
  const passages = passagesOf(
    page(`## A \`b\` [c](d)\n\n| n | v |\n| --- | --- |\n${rows}\n\n~~~ts\n${code}~~~\n\n${'x'.repeat(3_000)}`),
  );
  expect(new Set(passages.map(({ url }) => url))).toEqual(new Set(['https://example.org/shop.md#a-b-c']));
  const starts = passages.map(
    ({ text }) => /^(?:\| n \| v \|\n\| --- \| --- \|\n\| \d|```ts\n[^]*\n```$|x+$)/.exec(text)?.[0][0],
  );
  expect([...new Set(starts)]).toEqual(['|', '`', 'x']);
  expect(Math.max(...passages.map(({ text }) => text.length))).toBeLessThan(1_300);
});

describe('folderDocuments', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'local-docs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const read = () => folderDocuments(folder, 'https://example.org/docs').map(({ url, markdown }) => [url, markdown]);

  it('are its Markdown files, without hidden folders, node_modules and links', () => {
    for (const name of ['guides', '.git', 'node_modules']) mkdirSync(join(folder, name));
    for (const name of ['guides/start?.markdown', 'index.md', 'a.txt', '.git/a.md', 'node_modules/a.md'])
      writeFileSync(join(folder, name), name);
    symlinkSync('/etc', join(folder, 'outside'));
    const base = 'https://example.org/docs';
    expect(read()).toEqual([
      [`${base}/guides/start%3F.markdown`, 'guides/start?.markdown'],
      [`${base}/index.md`, 'index.md'],
    ]);
  });

  it('refuses an empty folder, a missing folder, and more than the bounds', () => {
    expect(read).toThrow('holds no Markdown files');
    expect(() => folderDocuments(join(folder, 'missing'), 'https://example.org/')).toThrow(/ENOENT.*missing/);
    writeFileSync(join(folder, '0.md'), 'x'.repeat(MAX_FILE_BYTES + 1));
    expect(read).toThrow(`0.md is ${MAX_FILE_BYTES + 1} bytes long`);
    for (let file = 0; file <= MAX_TOTAL_BYTES / MAX_FILE_BYTES; file += 1)
      writeFileSync(join(folder, `${file}.md`), 'x'.repeat(MAX_FILE_BYTES));
    expect(read).toThrow(`holds over ${MAX_TOTAL_BYTES} bytes`);
    for (let file = 0; file <= MAX_FILES; file += 1) writeFileSync(join(folder, `${file}.md`), '');
    expect(read).toThrow(`holds ${MAX_FILES + 1} Markdown files`);
  });
});
