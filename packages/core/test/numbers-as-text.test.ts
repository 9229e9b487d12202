import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { askOnce, embedOnce, extractOnce, rerankOnce, searchOnce } from './ask-once.js';

const ANSWER = ['answer', askOnce] as const;
const PORTS = Object.entries({ search: searchOnce, extract: extractOnce, rerank: rerankOnce, embed: embedOnce });

/** The value with each number as a text, except for the numbers of vectors and the data of a page. */
function asText(value: unknown, name = ''): unknown {
  if (/^(?:embeddings?|values|year|vehicles)$/.test(name)) return value;
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? String(value) : value;
  if (Array.isArray(value)) return value.map((entry) => asText(entry));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asText(entry, key)]));
}

/** What the ports of a provider make of each of its JSON fixtures: the outcome, or the reason of the failure. */
async function readings(provider: Provider, change: (reply: unknown) => unknown) {
  const folder = join(import.meta.dirname, '../src/providers', provider.id, 'fixtures');
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  const read: Record<string, unknown> = {};
  for (const file of files)
    for (const [port, once] of [ANSWER, ...PORTS]) {
      const [model] = port === 'answer' ? provider.models : (provider[port as 'search']?.models ?? []);
      const reply = change(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      const asked = model && once(provider, model.slug, reply);
      read[`${port} ${file}`] = await asked?.then(
        ({ outcome }): unknown => outcome,
        (error: unknown) => (error as { reason: unknown }).reason,
      );
    }
  return read;
}

describe.each(Object.values(allProviders).map((create) => create({ apiKey: 'a-key' })))(
  'a reply of $id',
  (provider) => {
    it('may have its numbers as texts', async () => {
      expect(await readings(provider, asText)).toEqual(await readings(provider, (reply) => reply));
    });
  },
);
