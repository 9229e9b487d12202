import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Gateway, isRequestError } from '../src/index.js';
import type { CallContext, Provider } from '../src/provider-kit/provider.js';
import * as allProviders from '../src/providers/index.js';
import { hasWords } from '../src/text/has-words.js';
import { webAddress } from '../src/text/page-fields.js';
import type { UpstreamRequest } from '../src/upstream/upstream-client.js';
import { type Leaf, parse } from './scaling/hostile-replies.js';
import { KEY, start } from './scripted-gateway.js';

const FOLDERS = join(import.meta.dirname, '../src/providers');
/** Over all bounds but those of contents and answers, and quick to read. */
const LONG = 'x🌉'.repeat(2_500);

/** The longest texts that callers get, by the name of their field, in characters. All others, and those of events and logs, are short. */
const BOUNDS: Readonly<Record<string, number>> = {
  answer: 1_500_000,
  text: 1_500_000,
  content: 200_000,
  url: 2_048,
  resolved_url: 2_048,
  snippet: 4_000,
  title: 500,
};
const SHORT = 300;

type Kind = 'answer' | 'answerStream' | 'search' | 'extract';

/** Texts over their bound, by the path of their field. */
function tooLong(value: unknown, bounds: Readonly<Record<string, number>>, path = ''): string[] {
  const { message, cause }: { message?: unknown; cause?: unknown } = value instanceof Error ? value : {};
  if (typeof value === 'object' && value !== null)
    return Object.entries({ message, cause, ...value }).flatMap(([key, each]) =>
      tooLong(each, bounds, `${path}.${key}`),
    );
  const most = bounds[/[a-z_]+(?=[.\d]*$)/i.exec(path)?.[0] ?? ''] ?? SHORT;
  return typeof value === 'string' && Array.from(value).length > most ? [`${path}: ${value.length}`] : [];
}

/** In place of a text: nothing that readers see, and addresses that no browser opens as they read. */
const USELESS = ['\u200b&nbsp;<!-- -->\n[1]', 'http://[bad', 'javascript:alert(1)', 'https://user:pass@example.org/'];

/** Texts and addresses of no use, by the path of their field. */
function useless(value: unknown, path = ''): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) => useless(each, `${path}.${key}`));
  if (typeof value !== 'string') return [];
  const isUseful = path.endsWith('url') ? webAddress(value) !== undefined : hasWords(value);
  return /\.(?:url|resolved_url|answer|content|title)$/.test(path) && !isUseful ? [`${path}: ${value}`] : [];
}

/** A gateway whose provider gets the same reply to every request. */
function startGateway({ answer, search, extract, ...real }: Provider) {
  let reply = '';
  const seen: unknown[] = [];
  const send = ({ onText }: UpstreamRequest) => {
    onText?.(reply);
    return Promise.resolve({ status: 200, header: () => undefined, text: onText === undefined ? reply : '' });
  };
  const heard = ({ signal }: CallContext): CallContext => ({ upstream: { send }, signal });
  const provider: Provider = {
    ...real,
    answer: answer && {
      answer: (call, context) => answer.answer(call, heard(context)),
      ...(answer.stream && { stream: (call, context, live) => answer.stream!(call, heard(context), live) }),
    },
    search: search && { ...search, search: (call, context) => search.search(call, heard(context)) },
    extract: extract && { ...extract, extract: (call, context) => extract.extract(call, heard(context)) },
    rerank: undefined,
    embed: undefined,
  };
  const log = (...line: unknown[]) => void seen.push(line);
  const options = { maxAttempts: 1, logger: { warn: log, error: log }, onEvent: log };
  const { gateway, clock } = start([provider], { limit: null, credits: '100000', ...options });
  /** @returns what the caller gets, and what the operator sees; no error for an unknown reason. */
  async function ask(kind: Kind, model: string, text: string) {
    reply = text;
    seen.length = 0;
    // No provider is paused for what it sent before.
    await clock.advance(60_000);
    const given = await callOf(gateway, kind, model).catch((error: unknown) => {
      if (isRequestError(error) && error.reason !== 'internal_error') return error;
      throw error;
    });
    await new Promise((resolve) => void setImmediate(resolve));
    return { given, isRefused: isRequestError(given), seen: [...seen] };
  }
  return { ask, close: () => gateway.close() };
}

async function callOf(gateway: Gateway, kind: Kind, model: string): Promise<unknown> {
  const fields = { apiKey: KEY, model, query: 'Is it open?' };
  if (kind === 'answer') return gateway.answer(fields);
  if (kind === 'search') return gateway.search({ ...fields, includeContent: true }).catch(() => gateway.search(fields));
  if (kind === 'extract') return gateway.extract({ apiKey: KEY, model, urls: ['https://example.org/zephyr'] });
  const events: unknown[] = [];
  for await (const event of gateway.answerStream(fields)) events.push(event);
  return events;
}

const providers = Object.values(allProviders)
  .map((create) => create({ apiKey: 'a-key' }))
  .filter(({ answer, search, extract }) => (answer ?? search ?? extract) !== undefined);

const tried = { answer: 0, answerStream: 0, search: 0, extract: 0 };

describe.each(providers)('the texts of $id', (provider) => {
  it('reach callers, events and logs with a bounded length, however long they are, and only if they are of use', async () => {
    const { ask, close } = startGateway(provider);
    const folder = join(FOLDERS, provider.id, 'fixtures');
    const files = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !/^e(?:rrors|xpected)/.test(name));
    const texts = files.map(({ name }) => readFileSync(join(folder, name), 'utf8'));
    const models: Record<Kind, readonly { slug: string }[]> = {
      answer: provider.models,
      answerStream: provider.models.filter(({ features }) => features.includes('streaming')),
      search: provider.search?.models ?? [],
      extract: provider.extract?.models ?? [],
    };
    const known = new Set<string>();
    for (const kind of Object.keys(tried) as Kind[])
      for (const text of texts) {
        const reply = parse(text);
        // Elements of a list, and events, have the same path.
        const pathOf = ({ path }: Leaf) =>
          path
            .slice(1)
            .map((step) => (typeof step === 'number' ? '*' : step))
            .join('.');
        const paths = [...new Set(reply.leaves.map(pathOf))].filter((path) => !known.has(`${kind} ${path}`));
        let slug: string | undefined;
        for (const model of paths.length === 0 ? [] : models[kind]) {
          slug = (await ask(kind, model.slug, text)).isRefused ? undefined : model.slug;
          if (slug !== undefined) break;
        }
        if (slug === undefined) continue;
        for (const path of paths) {
          known.add(`${kind} ${path}`);
          const leaves = reply.leaves.filter((leaf) => pathOf(leaf) === path);
          const { given, isRefused, seen } = await ask(kind, slug, reply.withTexts(leaves, LONG));
          expect([path, tooLong(given, isRefused ? {} : BOUNDS), tooLong(seen, {})]).toEqual([path, [], []]);
          tried[kind] += isRefused ? 0 : 1;
          for (const shown of USELESS) {
            const got = await ask(kind, slug, reply.withTexts(leaves, shown));
            expect([path, shown, got.isRefused ? [] : useless(got.given)]).toEqual([path, shown, []]);
          }
        }
      }
    await close();
  });
});

it('of all kinds were tried', () => {
  for (const count of Object.values(tried)) expect(count).toBeGreaterThan(50);
});
