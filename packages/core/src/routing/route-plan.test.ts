import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigurationError } from '../base/errors/configuration-error.js';
import type { RequestError } from '../base/errors/request-error.js';
import type { CallableModel } from '../catalog/catalog.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import { buildRoutes, type ConfiguredRoutes } from './build-routes.js';
import {
  plainCall,
  planRoute,
  type RoutableModels,
  type RouteInput,
  type RoutePlan,
  type Routes,
} from './route-plan.js';
import type { RoutingPreferences } from './routing-preferences.js';

const runnable = (slug: string): CallableModel =>
  ({ model: { slug }, category: 'answer', provider: slug.split('/')[0], timeoutMs: slug.length }) as never;
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
    fallbackOn: ['error'],
    hedging: { maxShare: 0.1, hedges: {} },
    paths: new Map([['search', '/api/v1/search']]),
    ...configured,
  });
const routes: Routes = build({
  aliases: { fast: 'exa/answer' },
  fallbacks: { 'exa/answer': ['perplexity/sonar', 'local/docs'] },
  groups: {
    auto: { models: ['local/docs', 'exa/answer'], sort: 'listed', fallbackOn: ['error'] },
    quick: { models: ['perplexity/sonar', 'local/docs'], sort: 'latency', fallbackOn: ['error'] },
  },
});
const QUESTION = plainCall({ category: 'answer', hasFallbacks: true });
const OTHER_CATEGORY = { category: 'search', path: '/api/v1/search' };

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    const { reason, param, details } = error as RequestError;
    return { reason, param, details };
  }
}

type Asked = Partial<RouteInput>;
const plan = (name: string, more: Asked = {}, given = routes) => {
  const { candidates, ...rest } = planRoute(given, { name, allowedModels: null, call: QUESTION, ...more });
  return { slugs: candidates.map(({ model }) => model.slug), ...rest };
};
const slugsOf = (...asked: Parameters<typeof plan>) => plan(...asked).slugs;
const refusalOf = (...asked: Parameters<typeof plan>): unknown => outcomeOf(() => plan(...asked));

describe('planRoute', () => {
  it('tries the requested model, then its fallbacks in order', () => {
    expect(slugsOf('exa/answer')).toEqual(['exa/answer', 'perplexity/sonar', 'local/docs']);
  });

  it('may take as long as the deadlines of its candidates together', () => {
    expect(plan('perplexity/sonar').longestMs).toBe(16);
    expect(plan('exa/answer').longestMs).toBe(10 + 16 + 10);
  });

  it('resolves an alias, with the fallbacks of its target', () => {
    expect(slugsOf('fast')).toEqual(['exa/answer', 'perplexity/sonar', 'local/docs']);
  });

  it('never falls back to a model that the key may not use', () => {
    expect(slugsOf('exa/answer', { allowedModels: ['exa/answer', 'local/docs'] })).toEqual([
      'exa/answer',
      'local/docs',
    ]);
  });

  const many: Routes = { ...routes, models: { ...models, suggest: () => ['a/a', 'b/b', 'c/c', 'd/d'] } };

  it.each<[string, string, Asked, Routes, string, unknown]>([
    [
      'not on the key’s allow-list',
      'fast',
      { allowedModels: ['perplexity/sonar'] },
      routes,
      'model_not_allowed',
      undefined,
    ],
    ['near a slug', 'exa/anwser', {}, routes, 'model_not_found', { suggestions: ['exa/answer'] }],
    ['near many slugs', 'x/x', {}, many, 'model_not_found', { suggestions: ['a/a', 'b/b', 'c/c'] }],
    ['of another category', 'exa/neural', {}, routes, 'model_category_mismatch', OTHER_CATEGORY],
    ['not served', 'exa/uncallable', {}, routes, 'model_not_found', { suggestions: expect.anything() }],
  ])('refuses a model that is %s', (_what, name, asked, given, reason, details) => {
    expect(refusalOf(name, asked, given)).toEqual({ reason, param: 'model', details });
  });

  it('falls back to no answer model that no provider serves', () => {
    const fallbacks = new Map([['local/docs', ['exa/uncallable', 'exa/answer']]]);
    expect(slugsOf('local/docs', {}, { ...routes, fallbacks })).toEqual(['local/docs', 'exa/answer']);
  });
});

describe('planRoute with preferences', () => {
  it.each([
    ['exa/answer', ['local/docs'], ['exa/answer', 'local/docs']],
    ['local/docs', ['fast', 'perplexity/sonar'], ['local/docs', 'exa/answer', 'perplexity/sonar']],
    ['exa/answer', [], ['exa/answer']],
    // Repeated models, by any name, and the model itself.
    ['exa/answer', ['local/docs', 'fast', 'local/docs', 'exa/answer'], ['exa/answer', 'local/docs']],
  ])('tries after %s the fallbacks %j of the caller instead of the configured ones', (name, fallbacks, slugs) => {
    expect(plan(name, { routing: { fallbacks } })).toMatchObject({ slugs, order: undefined });
  });

  it.each([
    ['exa/anwser', null, 'model_not_found', { suggestions: ['exa/answer'] }],
    ['exa/neural', null, 'model_category_mismatch', OTHER_CATEGORY],
    ['quick', null, 'model_not_found', { suggestions: [] }],
    ['exa/answer', ['local/docs'], 'model_not_allowed', undefined],
    ['fast', ['local/docs'], 'model_not_allowed', undefined],
  ])('refuses the fallback %s, where the key may call %j', (fallback, allowedModels, reason, details) => {
    const asked = { routing: { fallbacks: ['local/docs', fallback] }, allowedModels };
    expect(refusalOf('local/docs', asked)).toEqual({ reason, param: 'routing.fallbacks', details });
  });

  it.each<[RoutingPreferences, RoutePlan['order']]>([
    [{ sort: 'price' }, { sort: 'price', sorted: 3, maxCost: null }],
    [
      { sort: 'latency', fallbacks: [] },
      { sort: 'latency', sorted: 1, maxCost: null },
    ],
    [{ maxCost: '0.01' }, { sort: null, sorted: 1, maxCost: 10_000_000n }],
  ])('leaves sorting by prices and latencies to the beginning of the call: %j', (routing, order) => {
    expect(plan('exa/answer', { routing }).order).toEqual(order);
  });
});

describe('planRoute with a group', () => {
  it('tries its models, without their configured fallbacks', () => {
    const slugs = ['local/docs', 'exa/answer'];
    expect(plan('auto')).toMatchObject({ slugs, order: undefined, longestMs: 10 + 10 });
  });

  it('leaves out models that the key may not call, and refuses if none is left', () => {
    expect(slugsOf('auto', { allowedModels: ['exa/answer'] })).toEqual(['exa/answer']);
    const refused = refusalOf('auto', { allowedModels: ['perplexity/sonar'] });
    expect(refused).toMatchObject({ reason: 'model_not_allowed', param: 'model' });
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
});

/** Routes to models, of which each supports these options; a country only with the value DE. */
function honoring(support: Readonly<Record<string, readonly string[]>>): Routes {
  const withOptions = (slug: string): CallableModel => {
    const names = support[slug] ?? [];
    const options = Object.fromEntries(
      names.map((name) => [name, { as: name, ...(name === 'country' && { values: ['DE'] }) }]),
    );
    return { ...runnable(slug), model: { ...runnable(slug).model, options } };
  };
  const find = (slug: string) => (answerSlugs.includes(slug) ? withOptions(slug) : undefined);
  return {
    ...routes,
    models: { ...models, find, runnable: () => [...Object.keys(support), 'x/none'].map(withOptions) },
  };
}

describe('planRoute with search options', () => {
  const [BOTH, COUNTRY, FRESHNESS] = [['freshness', 'country'], ['country'], ['freshness']];
  const all = (...slugs: string[]) => Object.fromEntries(slugs.map((slug) => [slug, BOTH]));
  const [week, german] = [{ freshness: 'week' }, { freshness: 'week', country: 'DE' }] as const;
  const many = ['a/a', 'b/b', 'c/c', 'd/d', 'e/e', 'f/f'];

  it('asks only models that support all of them', () => {
    const { slugs, longestMs } = plan('fast', { search: week }, honoring(all('exa/answer', 'local/docs')));
    expect([slugs, longestMs]).toEqual([['exa/answer', 'local/docs'], 10 + 10]);
    const one = honoring({ 'exa/answer': BOTH, 'local/docs': COUNTRY });
    expect(slugsOf('auto', { search: german }, one)).toEqual(['exa/answer']);
  });

  it.each<[string, string, Asked, Parameters<typeof honoring>[0], string[], string[]]>([
    [
      'what none of a group honors',
      'auto',
      { search: german },
      { 'exa/answer': COUNTRY, ...all('perplexity/sonar') },
      FRESHNESS,
      ['perplexity/sonar'],
    ],
    [
      'what any of a group does not honor',
      'auto',
      { search: german },
      { 'exa/answer': COUNTRY, 'local/docs': FRESHNESS, ...all('perplexity/sonar') },
      BOTH,
      ['perplexity/sonar'],
    ],
    [
      'models of the key, also where a fallback is capable',
      'fast',
      { search: week, allowedModels: ['exa/answer', 'local/docs'] },
      all('perplexity/sonar', 'local/docs'),
      FRESHNESS,
      ['local/docs'],
    ],
    ['five of many models', 'exa/answer', { search: week }, all(...many), FRESHNESS, many.slice(0, 5)],
    [
      'only models that support every option with its value',
      'exa/answer',
      { search: { freshness: 'day', country: 'FR' } },
      all('local/docs'),
      BOTH,
      [],
    ],
  ])('refuses and names %s', (_what, name, asked, support, options, capable) => {
    const details = { options, models: capable };
    expect(refusalOf(name, asked, honoring(support))).toEqual({
      reason: 'unsupported_option',
      param: `search.${options[0]}`,
      details,
    });
  });

  it('first refuses a model that may not be used', () => {
    const refused = refusalOf('exa/answer', { search: week, allowedModels: ['local/docs'] }, honoring({}));
    expect(refused).toMatchObject({ reason: 'model_not_allowed' });
  });
});

describe('buildRoutes', () => {
  function group(name: string, ...slugs: string[]): Pick<ConfiguredRoutes, 'groups'> {
    return { groups: { [name]: { models: slugs, sort: 'listed', fallbackOn: ['error'] } } };
  }

  it.each([
    ['an alias to an unknown model', { aliases: { a: 'exa/anwser' } }, 'aliases["a"]'],
    ['an alias that hides a model', { aliases: { 'exa/neural': 'exa/answer' } }, 'aliases["exa/neural"]'],
    ['a fallback to an unknown model', { fallbacks: { 'exa/answer': ['x/y'] } }, 'fallbacks["exa/answer"][0]'],
    ['a fallback that only searches', { fallbacks: { 'exa/answer': ['exa/neural'] } }, 'fallbacks["exa/answer"][0]'],
    ['fallbacks of an unknown model', { fallbacks: { 'x/y': ['exa/answer'] } }, 'fallbacks["x/y"]'],
    ['a model that falls back to itself', { fallbacks: { 'exa/answer': ['exa/answer'] } }, 'fallbacks["exa/answer"]'],
    ['a group that hides a model', group('exa/neural', 'exa/answer'), 'groups["exa/neural"]'],
    ['a group named as an alias', { aliases: { a: 'exa/answer' }, ...group('a', 'local/docs') }, 'groups["a"]'],
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

describe('a conversation', () => {
  const all = ['a/1', 'a/2', 'b/1', 'b/2', 'c/1', 'c/2'];
  const some = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 4 });
  const question = { query: 'When?', earlier: [{ role: 'user', content: 'Where?' } as const], includeCitations: true };
  const call = new QuestionCall(question, null);
  const setUps = fc.record({ able: some, group: some, fallbacks: some, second: fc.constantFrom(...all), own: some });

  it('reaches no model without the feature: no model of a group, no fallback and no hedge', () => {
    fc.assert(
      fc.property(setUps, fc.boolean(), ({ able, group, fallbacks, second, own }, isOwn) => {
        const callable = (slug: string) => {
          const facts = { features: able.includes(slug) ? ['multi_turn'] : [] };
          return { ...runnable(slug), model: { slug, ...facts }, facts } as never;
        };
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
          fallbackOn: ['error'],
          groups: { auto: { models: group, sort: 'listed', fallbackOn: ['error'] } },
          hedging: { maxShare: 0.1, hedges },
          paths: new Map(),
        });
        for (const name of ['auto', group[0] ?? '']) {
          const input = { name, allowedModels: null, call };
          const isServed = (name === 'auto' ? group : [name]).some((slug) => able.includes(slug));
          const asked = () => {
            const { candidates, hedges: seconds = [] } = planRoute(given, {
              ...input,
              ...(isOwn && { routing: { fallbacks: own } }),
            });
            return [...candidates, ...seconds.map((hedge) => hedge.second)].map(({ model }) => model.slug);
          };
          const alternatives = able.toSorted((a, b) => all.indexOf(a) - all.indexOf(b));
          const details = { options: ['messages'], models: alternatives };
          const refusal = { reason: 'unsupported_option', param: 'messages', details };
          const found = outcomeOf(asked);
          const isWithin = Array.isArray(found) && found.every((slug: string) => able.includes(slug));
          expect(isServed ? isWithin : found).toEqual(isServed ? true : refusal);
        }
      }),
    );
  });
});
