import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnswerOutcome, Provider } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { askOnce, embedOnce, extractOnce, rerankOnce, searchOnce } from './ask-once.js';

type Once = (provider: Provider, slug: string, reply: string) => Promise<{ readonly outcome: unknown }>;

const PORTS = { search: searchOnce, extract: extractOnce, rerank: rerankOnce, embed: embedOnce };

async function streamOnce({ models, answer }: Provider, slug: string, text: string) {
  const model = models.find((each) => each.slug === slug)!;
  const upstream = { send: () => Promise.resolve({ status: 200, header: () => undefined, text }) };
  const live = { text: () => undefined, citations: () => undefined };
  const context = { upstream, signal: new AbortController().signal };
  const outcome: AnswerOutcome = await answer!.stream!({ model, query: 'Is it open?' }, context, live);
  return { outcome };
}

/** The value with each number as a text, except for the numbers of vectors and the data of a page. */
function asText(value: unknown, name = ''): unknown {
  if (/^(?:embeddings?|values|year|vehicles)$/.test(name)) return value;
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? String(value) : value;
  if (Array.isArray(value)) return value.map((entry) => asText(entry));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asText(entry, key)]));
}

const rewritten = (json: string) => JSON.stringify(asText(JSON.parse(json)));
const inEvents = (stream: string) =>
  stream.replaceAll(/^(data: ?)(\{.*\})\r?$/gm, (_line, data: string, json: string) => data + rewritten(json));

/** What the ports of a provider make of each of its fixtures: the outcome, or the reason of the failure. */
async function readings(provider: Provider, change: { json(text: string): string; stream(text: string): string }) {
  const folder = join(import.meta.dirname, '../src/providers', provider.id, 'fixtures');
  const read: Record<string, unknown> = {};
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const text = readFileSync(join(folder, file), 'utf8');
    const isStream = file.endsWith('.txt');
    const ask = async (name: string, once: Once, slug: string | undefined) => {
      if (slug === undefined) return;
      const asked = once(provider, slug, isStream ? change.stream(text) : change.json(text));
      read[`${name} ${file}`] = await asked.then(
        ({ outcome }) => outcome,
        (error: unknown) => (error as { reason: unknown }).reason,
      );
    };
    const slugs = provider.models.map(({ slug }) => slug);
    await ask('answer', askOnce, slugs[0]);
    if (provider.answer?.stream && isStream) await ask('stream', streamOnce, slugs[0]);
    for (const [port, once] of Object.entries(PORTS))
      if (!isStream) await ask(port, once, provider[port as keyof typeof PORTS]?.models[0]?.slug);
  }
  return read;
}

describe.each(Object.values(allProviders).map((create) => create({ apiKey: 'a-key' })))(
  'a reply of $id',
  (provider) => {
    it('may have its numbers as texts', async () => {
      const same = (text: string) => text;
      const expected = await readings(provider, { json: same, stream: same });
      expect(await readings(provider, { json: rewritten, stream: inEvents })).toEqual(expected);
    });
  },
);
