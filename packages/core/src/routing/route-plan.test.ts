import { describe, expect, it } from 'vitest';
import type { RunnableModel } from '../catalog/catalog.js';
import { buildRoutes } from './build-routes.js';
import { planRoute, type RoutableModels, type Routes } from './route-plan.js';

const runnable = (slug: string): RunnableModel =>
  ({ model: { slug }, provider: slug.split('/')[0], timeoutMs: slug.length }) as unknown as RunnableModel;
const answerSlugs = ['exa/answer', 'perplexity/sonar', 'local/docs'];
const models: RoutableModels = {
  find: (slug) => (answerSlugs.includes(slug) ? runnable(slug) : undefined),
  categoryOf: (slug) => (answerSlugs.includes(slug) ? 'answer' : slug === 'exa/neural' ? 'search' : undefined),
  suggest: (name) => answerSlugs.filter((slug) => slug.slice(0, 3) === name.slice(0, 3)),
};
const routes: Routes = buildRoutes(models, {
  aliases: { fast: 'exa/answer' },
  fallbacks: { 'exa/answer': ['perplexity/sonar', 'local/docs'] },
});
const slugsOf = (name: string, allowedModels: string[] | null = null): string[] =>
  planRoute(routes, { name, allowedModels }).candidates.map(({ model }) => model.slug);

describe('planRoute', () => {
  it('tries the model asked for, then its fallbacks in order', () => {
    expect(slugsOf('exa/answer')).toEqual(['exa/answer', 'perplexity/sonar', 'local/docs']);
  });

  it('may take as long as the deadlines of its candidates together', () => {
    expect(planRoute(routes, { name: 'perplexity/sonar', allowedModels: null }).longestMs).toBe(16);
    expect(planRoute(routes, { name: 'exa/answer', allowedModels: null }).longestMs).toBe(10 + 16 + 10);
  });

  it('resolves an alias, with the fallbacks of its target', () => {
    expect(slugsOf('fast')).toEqual(['exa/answer', 'perplexity/sonar', 'local/docs']);
  });

  it('never falls back to a model the key may not use', () => {
    expect(slugsOf('exa/answer', ['exa/answer', 'local/docs'])).toEqual(['exa/answer', 'local/docs']);
  });

  it('refuses a model that is not on the key’s allow-list', () => {
    expect(() => slugsOf('fast', ['perplexity/sonar'])).toThrow(
      expect.objectContaining({ reason: 'model_not_allowed', param: 'model' }),
    );
  });

  it('names near slugs when a model does not exist', () => {
    expect(() => slugsOf('exa/anwser')).toThrow(
      expect.objectContaining({ reason: 'model_not_found', details: { suggestions: ['exa/answer'] } }),
    );
  });

  it('tells a model of another category from an unknown one', () => {
    expect(() => slugsOf('exa/neural')).toThrow(
      expect.objectContaining({ reason: 'model_category_mismatch', details: { category: 'search' } }),
    );
  });
});

describe('buildRoutes', () => {
  it.each([
    ['an alias to an unknown model', { aliases: { a: 'exa/anwser' }, fallbacks: {} }, 'aliases["a"]'],
    [
      'an alias that hides a model',
      { aliases: { 'exa/neural': 'exa/answer' }, fallbacks: {} },
      'aliases["exa/neural"]',
    ],
    [
      'a fallback to an unknown model',
      { aliases: {}, fallbacks: { 'exa/answer': ['x/y'] } },
      'fallbacks["exa/answer"][0]',
    ],
    [
      'a fallback to a model that only searches',
      { aliases: {}, fallbacks: { 'exa/answer': ['exa/neural'] } },
      'fallbacks["exa/answer"][0]',
    ],
    ['fallbacks of an unknown model', { aliases: {}, fallbacks: { 'x/y': ['exa/answer'] } }, 'fallbacks["x/y"]'],
    [
      'a model that falls back to itself',
      { aliases: {}, fallbacks: { 'exa/answer': ['exa/answer'] } },
      'fallbacks["exa/answer"]',
    ],
  ])('refuses %s', (_name, configured, path) => {
    expect(() => buildRoutes(models, configured)).toThrow(
      expect.objectContaining({ reason: 'invalid_configuration', problems: [expect.objectContaining({ path })] }),
    );
  });

  it('suggests the nearest slug', () => {
    expect(() => buildRoutes(models, { aliases: { a: 'exa/anwser' }, fallbacks: {} })).toThrow(
      /Did you mean "exa\/answer"\?/,
    );
  });
});
