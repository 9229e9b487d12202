import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildCatalog } from '../catalog/catalog.js';
import { FEATURE_FLAGS } from '../catalog/feature-flags.js';
import { LISTED_ROWS } from '../catalog/listed-rows.js';
import type { ModelEntry } from '../catalog/model-entry.js';
import * as allProviders from './index.js';

const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((file) => file.isDirectory())
  .map(({ name }) => name);
const providers = Object.entries(allProviders).map(([key, create]) => ({ key, provider: create({ apiKey: 'a-key' }) }));
const answerModels = providers.flatMap(({ provider }) =>
  provider.models.map((model) => ({ provider: provider.id, category: 'answer' as const, model })),
);
const portModels = providers.flatMap(({ provider: { id, search, extract, rerank, embed } }) => [
  ...(search?.models ?? []).map((model) => ({ provider: id, category: 'search' as const, model })),
  ...(extract?.models ?? []).map((model) => ({ provider: id, category: 'extract' as const, model })),
  ...(rerank?.models ?? []).map((model) => ({ provider: id, category: 'rerank' as const, model })),
  ...(embed?.models ?? []).map((model) => ({ provider: id, category: 'embedding' as const, model })),
]);
const build = (provided: Parameters<typeof buildCatalog>[0]['provided']) =>
  buildCatalog({ provided, overrides: {}, isOpen: () => true, clock: { now: () => Date.UTC(2026, 10, 21) } });

describe('the entry of the providers', () => {
  it('has a factory for every folder, and nothing else', () => {
    expect(Object.keys(allProviders)).toEqual(folders.sort());
  });

  it.each(providers)('calls $key by its id, and needs nothing but a key there', ({ key, provider }) => {
    expect([provider.id, provider.ownKeys]).toEqual([key, true]);
  });

  it.each(Object.entries(allProviders))('%s hands on the policies that a host states', (_key, create) => {
    expect(create({ apiKey: 'a-key' }).policies).toBeUndefined();
    expect(create({ apiKey: 'a-key', policies: ['zdr', 'eu'] }).policies).toEqual(['zdr', 'eu']);
  });

  it.each(Object.entries(allProviders))('%s refuses an option that it does not know', (key, create) => {
    const settings = { apiKey: 'a-key', color: 'red' };
    expect(() => create(settings)).toThrow(`${key}.color: found an unknown option`);
  });

  it('makes one catalog with the models that are only listed, in which no slug comes twice', () => {
    const listed = Object.values(LISTED_ROWS).flat();
    const ids = build([...answerModels, ...portModels])
      .list()
      .map(({ id }) => id);
    expect(ids).toHaveLength(listed.length + answerModels.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('can call every model that is listed', () => {
    expect(build([...answerModels, ...portModels]).list({ callable: false })).toEqual([]);
  });

  it('flags the models that have an end or a successor, which is a model of the same kind without either', () => {
    const listed = build([...answerModels, ...portModels]).list();
    const isOld = ({ retiresOn, replacement }: ModelEntry) => retiresOn !== null || replacement !== null;
    const old = listed.filter(isOld);
    expect(old).toHaveLength(5);
    for (const { id, category, provider, features, replacement } of old) {
      expect([id, features.some((flag) => ['legacy', 'deprecated'].includes(flag))]).toEqual([id, true]);
      const successor = listed.find((entry) => entry.id === replacement);
      expect([id, successor]).toMatchObject([id, { category, provider, retiresOn: null, replacement: null }]);
    }
  });

  it.each(answerModels)('uses only known feature flags for $model.slug', ({ model }) => {
    const flags = [...model.features, ...(model.vendorFeatures ?? [])];
    expect(Object.keys(FEATURE_FLAGS)).toEqual(expect.arrayContaining(flags));
    expect(new Set(flags).size).toBe(flags.length);
  });

  it.each(answerModels)('declares for $model.slug only features that are listed', ({ provider, model }) => {
    const [listed] = build([{ provider, category: 'answer', model }]).list({ category: 'answer' });
    expect(listed?.features).toEqual(model.features);
    expect(listed?.features).toContain('citations');
  });
});
