import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainRule } from '../src/base/domain-rule.js';
import { type PageScope, pageScope, rulesOf } from '../src/base/search-options/page-scope.js';
import type { CallableModel } from '../src/catalog/catalog.js';
import type { AnswerCitation } from '../src/kinds/answer/answer-listener.js';
import { LiveStream } from '../src/kinds/answer/live-stream.js';
import { limitOutcome, onlyCitations } from '../src/kinds/answer/present-outcome.js';
import { QuestionCall } from '../src/kinds/answer/question-call.js';
import { extractKind } from '../src/kinds/extract.js';
import type { AskedModel, AttemptContext } from '../src/kinds/kind-call.js';
import { searchKind } from '../src/kinds/search.js';
import type { Provider } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { addressesIn } from './addresses-in.js';
import { livePartsIn } from './live-parts-of.js';

// Every recorded reply, whole and in pieces of any length, under any rules made of its hosts.

interface Reply {
  readonly name: string;
  readonly text: string;
  /** Those that occur in it, and others. */
  readonly hosts: readonly string[];
}

/** Each reply as it is, and with addresses in its texts: hardly any provider has recorded those. */
function repliesOf({ id }: Provider): Reply[] {
  const folder = join(import.meta.dirname, '../src/providers', id, 'fixtures');
  const files = existsSync(folder)
    ? readdirSync(folder).filter((name) => !/^e(?:rrors|xpected-answers)/.test(name))
    : [];
  return files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    if (text.length > 300_000) return [];
    const linked = text.replaceAll(
      'Zephyr',
      '[Zephyr](https://a.example.net/x) www.example.com/y https://EXAMPLE.org/z',
    );
    return [text, linked].map((each) => {
      const found = [...each.matchAll(/https?:\/\/([a-z\d.-]+\.[a-z]+)/gi)].map(([, host = '']) => host.toLowerCase());
      return { name, text: each, hosts: [...new Set([...found, 'example.com', 'other.example'])] };
    });
  });
}

const ruleFor = (hosts: readonly string[]): fc.Arbitrary<DomainRule> =>
  fc
    .tuple(fc.constantFrom('only', 'never'), fc.subarray([...hosts], { minLength: 1 }))
    .map(([side, names]) => ({ [side]: names }) as unknown as DomainRule);

/** All that is outside of the rules in a value: addresses of pages, and those in texts. */
function outside(value: unknown, allows: (url: string) => boolean): string[] {
  if (typeof value === 'string') return addressesIn(value).filter((url) => !allows(url));
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => outside(each, allows));
}

/** What a caller gets of a value without rules, and what with rules differs only where it has an address outside. */
function expectWithin(plain: unknown, ruled: unknown, allows: (url: string) => boolean): void {
  expect(outside(ruled, allows)).toEqual([]);
  if (outside(plain, allows).length === 0) expect(ruled).toEqual(plain);
}

const contextFor = (text: string) => {
  const reply = { status: 200, header: () => undefined, text };
  const context: Partial<AttemptContext> = {
    upstream: { send: () => Promise.resolve(reply) },
    signal: new AbortController().signal,
    live: undefined,
    ask: (send) => send(context as AttemptContext),
    enterSlot: () => null,
    costOf: () => 0n,
    citationsDropped: () => undefined,
  };
  return context as AttemptContext;
};

type Ask = (reply: Reply, scope: PageScope | undefined) => Promise<unknown>;

/** The ways in which the port of a kind is asked and its value is shown. */
function waysOf(provider: Provider): Record<string, Ask> {
  const asked = (model: AskedModel['model'], scope: PageScope | undefined) => ({
    model,
    facts: model as unknown as CallableModel['facts'],
    search: undefined,
    scope,
  });
  const [answers, search, extract] = [provider.models[0], provider.search?.models[0], provider.extract?.models[0]];
  const call = new QuestionCall({ query: 'Is it open?', includeCitations: true }, null);
  return {
    ...(answers && {
      async answer({ text }, scope) {
        return call.present((await call.ask(provider, asked(answers, scope), contextFor(text))).value, scope).fields;
      },
    }),
    ...(search && {
      async search({ text }, scope) {
        const input = { query: 'Is it open?', maxResults: 100, includeContent: true };
        return (await searchKind.ask(provider, { ...asked(search, scope), input }, contextFor(text))).value;
      },
    }),
    ...(extract && {
      async extract({ text }, scope) {
        const urls = ['https://example.org/zephyr', 'https://example.com/traffic'].filter(
          (url) => scope?.shows(url) ?? true,
        );
        const input = { urls, format: 'markdown', maxCharacters: 100_000 } as const;
        return (await extractKind.ask(provider, { ...asked(extract, scope), input }, contextFor(text))).value.results;
      },
    }),
  };
}

const providers = Object.values(allProviders).map((create) => create({ apiKey: 'a-key' }));
const ports = providers.flatMap((provider) =>
  Object.entries(waysOf(provider)).map(([kind, ask]) => ({ id: provider.id, kind, ask, replies: repliesOf(provider) })),
);
const failed = Symbol('no outcome');
const NUM_RUNS = 4;

describe.each(ports)('$kind of $id within rules', ({ ask, replies }) => {
  it('shows nothing outside, and changes nothing else', async () => {
    let seen = 0;
    for (const reply of replies) {
      const plain = await ask(reply, undefined).catch(() => failed);
      if (plain === failed) continue;
      seen += 1;
      const property = fc.asyncProperty(ruleFor(reply.hosts), async (rule) => {
        const scope = pageScope(undefined, rulesOf([rule]));
        const ruled = await ask(reply, scope).catch(() => failed);
        if (scope?.rules !== undefined && ruled !== failed) expectWithin(plain, ruled, scope.rules.allows);
      });
      await fc.assert(property, { numRuns: NUM_RUNS });
    }
    expect(seen).toBeGreaterThan(replies.length === 0 ? -1 : 0);
  });
});

const streams = providers.flatMap((provider) =>
  provider.models
    .filter(({ features }) => features.includes('streaming'))
    .slice(0, 1)
    .map((model) => ({ id: provider.id, provider, model })),
);
const SERVED = { model: { slug: 'a/model' }, provider: 'a' } as unknown as CallableModel;

/** What a caller gets of a stream that arrives in these chunks. */
async function streamed(
  provider: Provider,
  model: string,
  chunks: readonly Uint8Array[],
  scope: PageScope | undefined,
  includeCitations = true,
) {
  const run = await livePartsIn(provider, { model, chunks });
  const got = { text: '', citations: [] as readonly AnswerCitation[], mismatches: 0, answer: {} as object };
  const listener = {
    start: () => undefined,
    citations: (citations: readonly AnswerCitation[]) => void (got.citations = citations),
    delta: (text: string) => void (got.text += text),
  };
  const stream = new LiveStream(listener, {
    id: 'a',
    includeCitations,
    scope,
    onMismatch: () => (got.mismatches += 1),
  });
  const attempt = stream.open(SERVED);
  run.replay(attempt);
  attempt.end();
  const begun = { ...got };
  if (run.outcome === undefined) return { begun };
  // As `QuestionCall.ask` does.
  const value = onlyCitations(limitOutcome(run.outcome), ({ url }) => scope?.shows(url) ?? true);
  if (value.citations.length === 0 && run.outcome.citations.length > 0) return { begun };
  got.answer = stream.finish(value, { model: 'a/model', provider: 'a' }).fields;
  return { begun, got };
}

describe.each(streams)('a stream of $id within rules', ({ provider, model }) => {
  it('shows nothing outside, in pieces as whole', async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    for (const { text, hosts } of repliesOf(provider)) {
      const bytes = Buffer.from(text);
      const plain = await streamed(provider, model.slug, [bytes], undefined);
      const property = fc.asyncProperty(ruleFor(hosts), cuts, fc.boolean(), async (rule, shares, includeCitations) => {
        const scope = pageScope(undefined, rulesOf([rule]));
        if (scope?.rules === undefined) throw new Error('no rules');
        const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
        const chunks = [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
        const { begun, got } = await streamed(provider, model.slug, chunks, scope, includeCitations);
        expect(outside([begun, got], scope.rules.allows)).toEqual([]);
        expect(got?.mismatches ?? 0).toBe(0);
        if (includeCitations && plain.got !== undefined && outside(plain.got, scope.rules.allows).length === 0)
          expect(got?.answer).toEqual(plain.got.answer);
      });
      await fc.assert(property, { numRuns: NUM_RUNS });
    }
  });
});
