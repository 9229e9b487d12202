import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigurationError } from '../base/errors/configuration-error.js';
import type { RequestError } from '../base/errors/request-error.js';
import type { CallableModel } from '../catalog/catalog.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import { buildRoutes, type ConfiguredRoutes } from './build-routes.js';
import { plainCall, planRoute, type RoutableModels, type RouteInput, type Routes } from './route-plan.js';
import type { RoutingPreferences } from './routing-preferences.js';

const runnable = (slug: string): CallableModel =>
  ({
    model: { slug },
    category: 'answer',
    provider: slug.split('/')[0],
    timeoutMs: slug.length,
  }) as unknown as CallableModel;
const answerSlugs = ['exa/answer', 'perplexity/sonar', 'local/docs'];
const categories = new Map([...answerSlugs, 'exa/uncallable'].map((slug) => [slug, 'answer' as const]));
const models: RoutableModels = {
  find: (slug) => (answerSlugs.includes(slug) ? runnable(slug) : undefined),
  categoryOf: (slug) => categories.get(slug) ?? (slug === 'exa/neural' ? 'search' : undefined),
  runnable: () => answerSlugs.map(runnable),
  suggest: (name) => answerSlugs.filter((slug) => slug.slice(0, 3) === name.slice(0, 3)),
};
const build = (configured: Partial<ConfiguredRoutes>) =>
  buildRoutes(models, {
    aliases: {},
    fallbacks: {},
    groups: {},
    hedging: { maxShare: 0.1, hedges: {} },
    paths: new Map([['search', '/api/v1/search']]),
    ...configured,
  });
const routes: Routes = build({
  aliases: { fast: 'exa/answer' },
  fallbacks: { 'exa/answer': ['perplexity/sonar', 'local/docs'] },
  groups: {
    auto: { models: ['local/docs', 'exa/answer'], sort: 'listed' },
    quick: { models: ['perplexity/sonar', 'local/docs'], sort: 'latency' },
  },
});
const QUESTION = plainCall({ category: 'answer', hasFallbacks: true });
const slugsOf = (name: string, allowedModels: string[] | null = null): string[] =>
  planRoute(routes, { name, allowedModels, call: QUESTION }).candidates.map(({ model }) => model.slug);

describe('planRoute', () => {
  it('tries the requested model, then its fallbacks in order', () => {
    expect(slugsOf('exa/answer')).toEqual(['exa/answer', 'perplexity/sonar', 'local/docs']);
  });

  it('may take as long as the deadlines of its candidates together', () => {
    expect(planRoute(routes, { name: 'perplexity/sonar', allowedModels: null, call: QUESTION }).longestMs).toBe(16);
    expect(planRoute(routes, { name: 'exa/answer', allowedModels: null, call: QUESTION }).longestMs).toBe(10 + 16 + 10);
  });

  it('resolves an alias, with the fallbacks of its target', () => {
    expect(slugsOf('fast')).toEqual(['exa/answer', 'perplexity/sonar', 'local/docs']);
  });

  it('never falls back to a model that the key may not use', () => {
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
    expect(() => planRoute({ ...routes, models: many }, { name: 'x/x', allowedModels: null, call: QUESTION })).toThrow(
      expect.objectContaining({ details: { suggestions: ['a/a', 'b/b', 'c/c'] } }),
    );
  });

  it('distinguishes a model of another category from an unknown model', () => {
    expect(() => slugsOf('exa/neural')).toThrow(
      expect.objectContaining({
        reason: 'model_category_mismatch',
        param: 'model',
        details: { category: 'search', path: '/api/v1/search' },
      }),
    );
  });

  it('does not find an answer model that no provider serves', () => {
    expect(() => slugsOf('exa/uncallable')).toThrow(expect.objectContaining({ reason: 'model_not_found' }));
    const fallbacks = new Map([['local/docs', ['exa/uncallable', 'exa/answer']]]);
    const { candidates } = planRoute(
      { ...routes, fallbacks },
      { name: 'local/docs', allowedModels: null, call: QUESTION },
    );
    expect(candidates.map(({ model }) => model.slug)).toEqual(['local/docs', 'exa/answer']);
  });
});

describe('planRoute with preferences', () => {
  const plan = (name: string, routing: RoutingPreferences, allowedModels: string[] | null = null) => {
    const { candidates, order } = planRoute(routes, { name, allowedModels, call: QUESTION, routing });
    return { slugs: candidates.map(({ model }) => model.slug), order };
  };

  it('tries the fallbacks that the caller names instead of the configured ones, aliases too', () => {
    expect(plan('exa/answer', { fallbacks: ['local/docs'] }).slugs).toEqual(['exa/answer', 'local/docs']);
    expect(plan('local/docs', { fallbacks: ['fast', 'perplexity/sonar'] }).slugs).toEqual([
      'local/docs',
      'exa/answer',
      'perplexity/sonar',
    ]);
    expect(plan('exa/answer', { fallbacks: [] })).toEqual({ slugs: ['exa/answer'], order: undefined });
  });

  it('drops repeated models, by any name, and the model itself', () => {
    const fallbacks = ['local/docs', 'fast', 'local/docs', 'exa/answer'];
    expect(plan('exa/answer', { fallbacks }).slugs).toEqual(['exa/answer', 'local/docs']);
  });

  it.each([
    ['exa/anwser', null, { reason: 'model_not_found', details: { suggestions: ['exa/answer'] } }],
    [
      'exa/neural',
      null,
      { reason: 'model_category_mismatch', details: { category: 'search', path: '/api/v1/search' } },
    ],
    ['quick', null, { reason: 'model_not_found' }],
    ['exa/answer', ['local/docs'], { reason: 'model_not_allowed' }],
    ['fast', ['local/docs'], { reason: 'model_not_allowed' }],
  ])('refuses the fallback %s, where the key may call %j', (fallback, allowedModels, error) => {
    expect(() => plan('local/docs', { fallbacks: ['local/docs', fallback] }, allowedModels)).toThrow(
      expect.objectContaining({ ...error, param: 'routing.fallbacks' }),
    );
  });

  it('leaves sorting by prices and latencies to the beginning of the call', () => {
    const all = { sort: 'price', sorted: 3, maxCost: null } as const;
    expect(plan('exa/answer', { sort: 'price' }).order).toEqual(all);
    expect(plan('exa/answer', { sort: 'latency', fallbacks: [] }).order).toMatchObject({ sorted: 1 });
    const bounded = { sort: null, sorted: 1, maxCost: 10_000_000n };
    expect(plan('exa/answer', { maxCost: '0.01' }).order).toEqual(bounded);
  });
});

describe('planRoute with a group', () => {
  const plan = (name: string, more: Partial<RouteInput> = {}) => {
    const { candidates, order } = planRoute(routes, { name, allowedModels: null, call: QUESTION, ...more });
    return { slugs: candidates.map(({ model }) => model.slug), order };
  };

  it('tries its models, without their configured fallbacks', () => {
    expect(plan('auto')).toEqual({ slugs: ['local/docs', 'exa/answer'], order: undefined });
    expect(planRoute(routes, { name: 'auto', allowedModels: null, call: QUESTION }).longestMs).toBe(10 + 10);
  });

  it('leaves out models that the key may not call, and refuses if none is left', () => {
    expect(plan('auto', { allowedModels: ['exa/answer'] }).slugs).toEqual(['exa/answer']);
    expect(() => plan('auto', { allowedModels: ['perplexity/sonar'] })).toThrow(
      expect.objectContaining({ reason: 'model_not_allowed', param: 'model' }),
    );
  });

  it('tries the fallbacks of the caller after its models, whatever its order', () => {
    const { slugs, order } = plan('quick', { routing: { fallbacks: ['local/docs', 'exa/answer'] } });
    expect(slugs).toEqual(['perplexity/sonar', 'local/docs', 'exa/answer']);
    expect(order).toEqual({ sort: 'latency', sorted: 2, maxCost: null });
  });

  it('uses the order of the caller instead of its own, also for the fallbacks', () => {
    const { order } = plan('quick', { routing: { sort: 'price', fallbacks: ['exa/answer'] } });
    expect(order).toEqual({ sort: 'price', sorted: 3, maxCost: null });
  });

  const honoring = (support: Record<string, string[]>): Routes => {
    const withOptions = (slug: string): CallableModel => {
      const options = Object.fromEntries((support[slug] ?? []).map((option) => [option, { as: option }]));
      return { ...runnable(slug), model: { ...runnable(slug).model, options } };
    };
    const find = (slug: string) => (answerSlugs.includes(slug) ? withOptions(slug) : undefined);
    return { ...routes, models: { ...models, find, runnable: () => answerSlugs.map(withOptions) } };
  };
  const search = { freshness: 'week', country: 'DE' } as const;
  const refusal = (support: Record<string, string[]>) => {
    try {
      return planRoute(honoring(support), { name: 'auto', allowedModels: null, call: QUESTION, search });
    } catch (error) {
      return error;
    }
  };

  it('asks only its models that support every search option', () => {
    const one = honoring({ 'exa/answer': ['freshness', 'country'], 'local/docs': ['country'] });
    const { candidates } = planRoute(one, { name: 'auto', allowedModels: null, call: QUESTION, search });
    expect(candidates.map(({ model }) => model.slug)).toEqual(['exa/answer']);
  });

  it.each([
    ['what none of them honors', { 'exa/answer': ['country'], 'local/docs': ['country'] }, ['freshness']],
    ['what any does not', { 'exa/answer': ['country'], 'local/docs': ['freshness'] }, ['freshness', 'country']],
  ])('names %s where none honors all', (_what, support, options) => {
    const capable = { ...support, 'perplexity/sonar': ['freshness', 'country'] };
    expect(refusal(capable)).toMatchObject({
      reason: 'unsupported_option',
      param: `search.${options[0]}`,
      details: { options, models: ['perplexity/sonar'] },
    });
  });
});

describe('planRoute with search options', () => {
  const honoring = (slugs: readonly string[]): RoutableModels => ({
    ...models,
    runnable: () => [...slugs, 'x/none'].map((slug) => withOptions(slug, slugs)),
    find: (slug) => (answerSlugs.includes(slug) ? withOptions(slug, slugs) : undefined),
  });
  const withOptions = (slug: string, slugs: readonly string[]): CallableModel => {
    const plain = runnable(slug);
    const options = slugs.includes(slug) ? { freshness: { as: 'age' }, country: { as: 'gl', values: ['DE'] } } : {};
    return { ...plain, model: { ...plain.model, options } };
  };
  const search = { freshness: 'week' } as const;
  const plan = (slugs: readonly string[], name: string, allowedModels: string[] | null = null) =>
    planRoute({ ...routes, models: honoring(slugs) }, { name, allowedModels, call: QUESTION, search });

  it('asks only fallbacks that support all of them', () => {
    const { candidates, longestMs } = plan(['exa/answer', 'local/docs'], 'fast');
    expect(candidates.map(({ model }) => model.slug)).toEqual(['exa/answer', 'local/docs']);
    expect(longestMs).toBe(10 + 10);
  });

  it('refuses a model that does not support them, even if a fallback does, and names models of the key that do', () => {
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

  it('names only models that support every option, with its value', () => {
    const ofOne = honoring(['local/docs']);
    const asked = {
      name: 'exa/answer',
      allowedModels: null,
      call: QUESTION,
      search: { freshness: 'day', country: 'FR' },
    } as const;
    expect(() => planRoute({ ...routes, models: ofOne }, asked)).toThrow(
      expect.objectContaining({ details: { options: ['freshness', 'country'], models: [] } }),
    );
  });

  it('first refuses a model that may not be used', () => {
    expect(() => plan([], 'exa/answer', ['local/docs'])).toThrow(
      expect.objectContaining({ reason: 'model_not_allowed' }),
    );
  });
});

describe('buildRoutes', () => {
  function group(name: string, ...slugs: string[]): Pick<ConfiguredRoutes, 'groups'> {
    return { groups: { [name]: { models: slugs, sort: 'listed' } } };
  }

  it.each([
    ['an alias to an unknown model', { aliases: { a: 'exa/anwser' } }, 'aliases["a"]'],
    ['an alias that hides a model', { aliases: { 'exa/neural': 'exa/answer' } }, 'aliases["exa/neural"]'],
    ['a fallback to an unknown model', { fallbacks: { 'exa/answer': ['x/y'] } }, 'fallbacks["exa/answer"][0]'],
    [
      'a fallback to a model that only searches',
      { fallbacks: { 'exa/answer': ['exa/neural'] } },
      'fallbacks["exa/answer"][0]',
    ],
    ['fallbacks of an unknown model', { fallbacks: { 'x/y': ['exa/answer'] } }, 'fallbacks["x/y"]'],
    ['a model that falls back to itself', { fallbacks: { 'exa/answer': ['exa/answer'] } }, 'fallbacks["exa/answer"]'],
    ['a group that hides a model', group('exa/neural', 'exa/answer'), 'groups["exa/neural"]'],
    [
      'a group named like an alias',
      { aliases: { auto: 'exa/answer' }, ...group('auto', 'local/docs') },
      'groups["auto"]',
    ],
    ['a group of an unknown model', group('auto', 'exa/answer', 'x/y'), 'groups["auto"].models[1]'],
    ['a group of a model that only searches', group('auto', 'exa/neural'), 'groups["auto"].models[0]'],
    ['a group with a model twice', group('auto', 'exa/answer', 'exa/answer'), 'groups["auto"].models'],
  ])('refuses %s', (_name, configured, path) => {
    expect(() => build(configured)).toThrow(
      expect.objectContaining({ reason: 'invalid_configuration', problems: [expect.objectContaining({ path })] }),
    );
  });

  it('names the found and the expected value', () => {
    const problems = (aliases: Record<string, string>, fallbacks: Record<string, string[]>) => {
      try {
        return build({ aliases, fallbacks });
      } catch (error) {
        return (error as ConfigurationError).problems;
      }
    };
    expect(
      problems({ 'exa/answer': 'local/docs', b: 'x/y' }, { 'exa/answer': ['local/docs', 'local/docs'] }),
    ).toStrictEqual([
      { path: 'aliases["exa/answer"]', found: 'the slug of a model', expected: 'a name no model has' },
      { path: 'aliases["b"]', found: '"x/y"', expected: 'the slug of a callable model of a configured provider' },
      {
        path: 'fallbacks["exa/answer"]',
        found: 'a model twice',
        expected: 'each model once, and not the model itself',
      },
    ]);
  });

  it('suggests the nearest slug', () => {
    expect(() => build({ aliases: { a: 'exa/anwser' } })).toThrow(/Did you mean "exa\/answer"\?/);
  });
});

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    const { reason, param, details } = error as RequestError;
    return { reason, param, details };
  }
}

describe('a conversation', () => {
  const all = ['a/1', 'a/2', 'b/1', 'b/2', 'c/1', 'c/2'];
  const some = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 4 });
  const question = { query: 'When?', earlier: [{ role: 'user', content: 'Where?' } as const], includeCitations: true };
  const call = new QuestionCall(question, null);
  const setUps = fc.record({ able: some, group: some, fallbacks: some, second: fc.constantFrom(...all), own: some });

  it('reaches no model without the feature: no model of a group, no fallback and no hedge', () => {
    fc.assert(
      fc.property(setUps, fc.boolean(), ({ able, group, fallbacks, second, own }, isOwn) => {
        const featuresOf = (slug: string) => (able.includes(slug) ? ['multi_turn'] : []);
        const callable = (slug: string) =>
          ({ ...runnable(slug), model: { slug, features: featuresOf(slug) } }) as never;
        const catalog: RoutableModels = {
          find: (slug) => (all.includes(slug) ? callable(slug) : undefined),
          categoryOf: (slug) => (all.includes(slug) ? 'answer' : undefined),
          runnable: () => all.map(callable),
          suggest: () => [],
        };
        const [first = ''] = group.filter((slug) => slug !== second);
        const hedges = first === '' ? {} : { [first]: { with: second, afterMs: 1, maxExtraCost: 1n } };
        const given = buildRoutes(catalog, {
          aliases: {},
          fallbacks: { [group[0] ?? '']: fallbacks.filter((slug) => slug !== group[0]) },
          groups: { auto: { models: group, sort: 'listed' } },
          hedging: { maxShare: 0.1, hedges },
          paths: new Map(),
        });
        for (const name of ['auto', group[0] ?? '']) {
          const input = { name, allowedModels: null, call };
          const isServed = (name === 'auto' ? group : [name]).some((slug) => able.includes(slug));
          const asked = () => {
            const plan = planRoute(given, { ...input, ...(isOwn && { routing: { fallbacks: own } }) });
            return [...plan.candidates, ...(plan.hedges ?? []).map((hedge) => hedge.second)].map(
              ({ model }) => model.slug,
            );
          };
          const alternatives = able.toSorted((a, b) => all.indexOf(a) - all.indexOf(b));
          const refusal = {
            reason: 'unsupported_option',
            param: 'messages',
            details: { options: ['messages'], models: alternatives },
          };
          const found = outcomeOf(asked);
          const isWithin = Array.isArray(found) && found.every((slug: string) => able.includes(slug));
          expect(isServed ? isWithin : found).toEqual(isServed ? true : refusal);
        }
      }),
    );
  });
});
