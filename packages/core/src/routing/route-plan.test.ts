import { describe, expect, it } from 'vitest';
import type { RunnableModel } from '../catalog/catalog.js';
import type { ConfigurationError } from '../errors/configuration-error.js';
import { buildRoutes } from './build-routes.js';
import { planRoute, type RoutableModels, type Routes } from './route-plan.js';

const runnable = (slug: string): RunnableModel =>
  ({ model: { slug }, provider: slug.split('/')[0], timeoutMs: slug.length }) as unknown as RunnableModel;
const answerSlugs = ['exa/answer', 'perplexity/sonar', 'local/docs'];
const categories = new Map([...answerSlugs, 'exa/uncallable'].map((slug) => [slug, 'answer' as const]));
const models: RoutableModels = {
  find: (slug) => (answerSlugs.includes(slug) ? runnable(slug) : undefined),
  categoryOf: (slug) => categories.get(slug) ?? (slug === 'exa/neural' ? 'search' : undefined),
  runnable: () => answerSlugs.map(runnable),
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

  it('names three of many near slugs', () => {
    const many: RoutableModels = { ...models, suggest: () => ['a/a', 'b/b', 'c/c', 'd/d'] };
    expect(() => planRoute({ ...routes, models: many }, { name: 'x/x', allowedModels: null })).toThrow(
      expect.objectContaining({ details: { suggestions: ['a/a', 'b/b', 'c/c'] } }),
    );
  });

  it('tells a model of another category from an unknown one', () => {
    expect(() => slugsOf('exa/neural')).toThrow(
      expect.objectContaining({
        reason: 'model_category_mismatch',
        param: 'model',
        details: { category: 'search' },
      }),
    );
  });

  it('does not find an answer model that no provider serves', () => {
    expect(() => slugsOf('exa/uncallable')).toThrow(expect.objectContaining({ reason: 'model_not_found' }));
    const fallbacks = new Map([['local/docs', ['exa/uncallable', 'exa/answer']]]);
    const { candidates } = planRoute({ ...routes, fallbacks }, { name: 'local/docs', allowedModels: null });
    expect(candidates.map(({ model }) => model.slug)).toEqual(['local/docs', 'exa/answer']);
  });
});

describe('planRoute with search options', () => {
  const honoring = (slugs: readonly string[]): RoutableModels => ({
    ...models,
    runnable: () => [...slugs, 'x/none'].map((slug) => withOptions(slug, slugs)),
    find: (slug) => (answerSlugs.includes(slug) ? withOptions(slug, slugs) : undefined),
  });
  const withOptions = (slug: string, slugs: readonly string[]): RunnableModel => {
    const plain = runnable(slug);
    const options = slugs.includes(slug) ? { freshness: { as: 'age' }, country: { as: 'gl', values: ['DE'] } } : {};
    return { ...plain, model: { ...plain.model, options } };
  };
  const search = { freshness: 'week' } as const;
  const plan = (slugs: readonly string[], name: string, allowedModels: string[] | null = null) =>
    planRoute({ ...routes, models: honoring(slugs) }, { name, allowedModels, search });

  it('asks only fallbacks that honor all of them', () => {
    const { candidates, longestMs } = plan(['exa/answer', 'local/docs'], 'fast');
    expect(candidates.map(({ model }) => model.slug)).toEqual(['exa/answer', 'local/docs']);
    expect(longestMs).toBe(10 + 10);
  });

  it('refuses a model that does not, even when a fallback does, and names models of the key that do', () => {
    expect(() => plan(['perplexity/sonar', 'local/docs'], 'fast', ['exa/answer', 'local/docs'])).toThrow(
      expect.objectContaining({
        reason: 'unsupported_option',
        param: 'search.freshness',
        details: { options: ['freshness'], models: ['local/docs'] },
      }),
    );
  });

  it('names five of many models', () => {
    const many = ['a/a', 'b/b', 'c/c', 'd/d', 'e/e', 'f/f'];
    expect(() => plan(many, 'exa/answer')).toThrow(
      expect.objectContaining({ details: { options: ['freshness'], models: many.slice(0, 5) } }),
    );
  });

  it('names only models that honor every option, with its value', () => {
    const ofOne = honoring(['local/docs']);
    const asked = { name: 'exa/answer', allowedModels: null, search: { freshness: 'day', country: 'FR' } } as const;
    expect(() => planRoute({ ...routes, models: ofOne }, asked)).toThrow(
      expect.objectContaining({ details: { options: ['freshness', 'country'], models: [] } }),
    );
  });

  it('tells first that a model may not be used', () => {
    expect(() => plan([], 'exa/answer', ['local/docs'])).toThrow(
      expect.objectContaining({ reason: 'model_not_allowed' }),
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

  it('says what it found and what it expected', () => {
    const problems = (aliases: Record<string, string>, fallbacks: Record<string, string[]>) => {
      try {
        return buildRoutes(models, { aliases, fallbacks });
      } catch (error) {
        return (error as ConfigurationError).problems;
      }
    };
    expect(
      problems({ 'exa/answer': 'local/docs', b: 'x/y' }, { 'exa/answer': ['local/docs', 'local/docs'] }),
    ).toStrictEqual([
      { path: 'aliases["exa/answer"]', found: 'the slug of a model', expected: 'a name no model has' },
      { path: 'aliases["b"]', found: '"x/y"', expected: 'the slug of an answer model of a configured provider' },
      {
        path: 'fallbacks["exa/answer"]',
        found: 'a model twice',
        expected: 'each model once, and not the model itself',
      },
    ]);
  });

  it('suggests the nearest slug', () => {
    expect(() => buildRoutes(models, { aliases: { a: 'exa/anwser' }, fallbacks: {} })).toThrow(
      /Did you mean "exa\/answer"\?/,
    );
  });
});
