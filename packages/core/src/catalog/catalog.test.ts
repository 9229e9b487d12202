import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { parseMultiplier } from '../base/money.js';
import { buildCatalog, type ProvidedModel } from './catalog.js';
import { FEATURE_FLAGS } from './feature-flags.js';
import { LISTED_ROWS } from './listed-rows.js';
import { CATEGORIES, type ModelRow, type PriceRow } from './model-entry.js';
import type { ModelOverrides } from './model-overrides.js';
import { quote } from './quote.js';
import { priceAt } from './units.js';

const DECEMBER = Date.UTC(2026, 11, 1);
const source = 'the price list of the test';
const provenance = { source, asOf: '2026-11-20', confidence: 'high', notes: 'Secret note.' } as const;

function provided(slug: string, ...prices: PriceRow[]): ProvidedModel {
  const model: ModelRow = {
    slug,
    name: `Name of ${slug}`,
    description: `What ${slug} does.`,
    prices: prices.length > 0 ? prices : [{ kind: 'flat', request: '0.005', ...provenance }],
    features: ['citations'],
    contextLength: null,
    timeoutMs: 30_000,
  };
  return { provider: slug.split('/')[0] ?? '', category: 'answer', model };
}

const sonar = provided('perplexity/sonar', {
  kind: 'dynamic',
  perMillionInputTokens: '0.25',
  perMillionCachedInputTokens: '0.0625',
  perMillionOutputTokens: '2.50',
  typical: '0.005',
  ceiling: '0.05',
  ...provenance,
});
const answer = provided('exa/answer');

/** The fields that do not apply. */
const NOTHING = Object.fromEntries(
  'searchTypes maxResults includedResults resultStep dimensions maxInputTokens contextLength retiresOn replacement verifiedAt'
    .split(' ')
    .map((field) => [field, null]),
);

interface Setup {
  answerModels?: readonly ProvidedModel[];
  overrides?: ModelOverrides;
  nowMs?: number;
}

function build({ answerModels = [sonar, answer], overrides = {}, nowMs = 0 }: Setup = {}) {
  const clock = { nowMs, now: () => clock.nowMs };
  return { clock, catalog: buildCatalog({ provided: answerModels, overrides, clock, isOpen: () => true }) };
}

function problemsOf(setup: Setup) {
  try {
    build(setup);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

const pathsOf = (setup: Setup) => problemsOf(setup).map(({ path }) => path);

function entryOf(id: string, setup: Setup = {}, markup?: string) {
  const query = markup === undefined ? {} : { markup: parseMultiplier(markup) };
  return build(setup)
    .catalog.list(query)
    .find((entry) => entry.id === id);
}

describe('find', () => {
  it('returns an answer model with the data that a call needs', () => {
    const { catalog } = build();
    const model = catalog.find('perplexity/sonar');
    expect(model).toMatchObject({ model: sonar.model, provider: 'perplexity', timeoutMs: 30_000 });
    expect(model?.model).toBe(sonar.model);
    expect(model?.prices).toHaveLength(1);
  });

  it('keeps a cost history per model and organization for the life of the catalog', () => {
    const { catalog } = build();
    const histories = catalog.find('perplexity/sonar')?.histories;
    histories?.open('acme').record(9_000_000n);
    expect(histories?.find('acme')?.percentile99()).toBe(9_000_000n);
    expect(histories?.find('other')).toBeUndefined();
    expect(catalog.find('exa/answer')?.histories.find('acme')).toBeUndefined();
  });

  it.each(['exa/neural', 'exa/nothing', '', 'constructor', '__proto__'])('finds no callable model for %j', (slug) => {
    expect(build().catalog.find(slug)).toBeUndefined();
  });
});

describe('categoryOf', () => {
  it('knows exactly the listed models', () => {
    const { catalog } = build();
    const slugs = ['exa/answer', 'exa/neural', 'voyage/voyage-4', 'jina/reader', 'exa/nothing', 'toString'];
    const categories = ['answer', 'search', 'embedding', 'extract', undefined, undefined];
    expect(slugs.map(catalog.categoryOf)).toEqual(categories);
  });
});

describe('suggest', () => {
  it('names up to three answer models that resemble a mistyped slug, nearest first', () => {
    const slugs = ['exa/answer', 'exa/answer-2', 'exa/answers', 'exa/answerer', 'perplexity/sonar'];
    const { catalog } = build({ answerModels: slugs.map((slug) => provided(slug)) });
    expect(catalog.suggest('exa/anser', 'answer')).toEqual(['exa/answer', 'exa/answers', 'exa/answer-2']);
    expect(catalog.suggest('perplexity/sonor', 'answer')).toEqual(['perplexity/sonar']);
  });

  it('never names a model that cannot be called', () => {
    const { catalog } = build({ overrides: { 'exa/answer': { hidden: true } } });
    expect(catalog.suggest('exa/answer', 'answer')).toEqual([]);
    expect(catalog.suggest('exa/neural', 'answer')).toEqual([]);
  });
});

describe('list', () => {
  it('lists the 86 researched models and the answer models of the providers', () => {
    const ids = build()
      .catalog.list()
      .map(({ id }) => id);
    expect(ids).toHaveLength(88);
    expect(new Set(ids).size).toBe(88);
    expect(ids).toEqual(expect.arrayContaining(Object.values(LISTED_ROWS).flatMap((rows) => rows.map(({ id }) => id))));
  });

  it('sorts by category, then by id, whatever the order of the providers', () => {
    const list = build().catalog.list();
    expect(list).toEqual(build({ answerModels: [answer, sonar] }).catalog.list());
    expect([...new Set(list.map(({ category }) => category))]).toEqual([...CATEGORIES]);
    for (const category of CATEGORIES) {
      const ids = list.filter((entry) => entry.category === category).map(({ id }) => id);
      expect(ids).toEqual([...ids].sort());
    }
  });

  it('lists a single category', () => {
    const { catalog } = build();
    expect(catalog.list({ category: 'answer' }).map(({ id }) => id)).toEqual(['exa/answer', 'perplexity/sonar']);
    expect(CATEGORIES.map((category) => catalog.list({ category }).length)).toEqual([28, 26, 20, 12, 2]);
  });

  it('has exactly the fields of an entry, null for a field that does not apply, and options for answer models', () => {
    const { catalog } = build({
      overrides: { 'own/index': { category: 'search', name: 'Own', description: 'Ours.', price: '0' } },
    });
    const fields =
      'callable id name category provider description searchTypes features policies maxResults includedResults resultStep dimensions maxInputTokens contextLength retiresOn replacement verifiedAt createdMs pricing';
    const prices =
      'unit request perResult perPage perSearchUnit perMillionTokens perMillionInputTokens perMillionOutputTokens perSearch';
    for (const entry of catalog.list()) {
      const { category, id } = entry;
      const own = `${fields}${category === 'answer' ? ' options' : ''}${id === 'own/index' ? ' free' : ''}`;
      expect(Object.keys(entry).sort()).toEqual(own.split(' ').sort());
      expect(Object.values(entry)).not.toContain(undefined);
      expect(prices.split(' ')).toEqual(expect.arrayContaining(Object.keys(entry.pricing)));
      expect(entry.id.startsWith(`${entry.provider}/`)).toBe(true);
    }
  });

  it('never lists the source of a fact', () => {
    const text = JSON.stringify(build().catalog.list());
    expect(text).not.toMatch(
      /"(source|asOf|as_of|confidence|notes|provenance)"|https?:|Secret note|the price list of the test/,
    );
  });

  it('lists each researched model unchanged', () => {
    const entries = new Map(
      build()
        .catalog.list()
        .map((entry) => [entry.id, entry]),
    );
    for (const { provenance: _, leastDimensions: _least, pricing: written, ...row } of Object.values(
      LISTED_ROWS,
    ).flat()) {
      const { heldPages: _held, includedResults, resultStep, ...pricing } = written;
      expect(entries.get(row.id)).toMatchObject({
        ...row,
        ...(includedResults !== undefined && { includedResults, resultStep: resultStep ?? 1 }),
        pricing: { unit: 'USD', ...pricing },
      });
      expect(Object.keys(entries.get(row.id)?.pricing ?? {})).toEqual(['unit', ...Object.keys(pricing)]);
    }
  });

  it('lists a flat and a dynamic answer model', () => {
    expect(entryOf('exa/answer')).toEqual({
      id: 'exa/answer',
      createdMs: Date.parse('2026-11-20'),
      name: 'Name of exa/answer',
      category: 'answer',
      provider: 'exa',
      description: 'What exa/answer does.',
      pricing: { unit: 'USD', request: '0.005' },
      ...NOTHING,
      policies: [],
      features: ['citations'],
      options: [],
      callable: true,
    });
    expect(entryOf('perplexity/sonar')?.pricing).toEqual({
      unit: 'USD',
      request: '-1',
      perMillionInputTokens: '0.25',
      perMillionOutputTokens: '2.5',
    });
  });

  it('lists the search options that a model supports', () => {
    const options = { country: { as: 'gl', values: ['DE'] }, freshness: { as: 'age' } };
    const model = { ...answer.model, options };
    const entry = entryOf('exa/answer', { answerModels: [{ ...answer, model }] });
    expect(entry?.options).toEqual(['freshness', 'country']);
  });

  it('lists no other field of a provider’s models', () => {
    const model = { ...answer.model, upstreamModel: 'exa-internal' };
    const entry = entryOf('exa/answer', { answerModels: [{ ...answer, model }] });
    expect(entry).toEqual(entryOf('exa/answer'));
  });

  it('includes the markup, rounded up, but not in "-1"', () => {
    expect(entryOf('exa/answer', {}, '1.2')?.pricing).toEqual({ unit: 'USD', request: '0.006' });
    expect(entryOf('exa/answer', {}, '1.000000001')?.pricing.request).toBe('0.005000001');
    expect(entryOf('perplexity/sonar', {}, '2')?.pricing).toMatchObject({ request: '-1', perMillionOutputTokens: '5' });
    expect(entryOf('jina/reader', {}, '2')?.pricing).toEqual({ unit: 'USD', request: '-1', perMillionTokens: '0.1' });
  });

  it('shows the prices of the moment', () => {
    const row = { kind: 'flat', ...provenance, request: '0.005' } as const;
    const model = provided('exa/answer', row, { ...row, request: '0.01', validFrom: '2026-12-01' });
    const { catalog, clock } = build({ answerModels: [model], nowMs: DECEMBER - 1 });
    const listed = () => catalog.list({ category: 'answer' })[0]?.pricing.request;
    expect(listed()).toBe('0.005');
    clock.nowMs = DECEMBER;
    expect(listed()).toBe('0.01');
  });

  it.each<[string, ProvidedModel[], string]>([
    ['a callable model', [{ ...answer, model: { ...answer.model, retiresOn: '2026-12-01' } }], 'exa/answer'],
    ['a researched model', [], 'voyage/voyage-code-3'],
  ])('has %s to the end of the day on which its vendor ends it', (_what, answerModels, slug) => {
    const { catalog, clock } = build({ answerModels });
    const listed = () => catalog.list().find(({ id }) => id === slug);
    const endMs = Date.parse(listed()?.retiresOn ?? '') + 86_400_000;
    clock.nowMs = endMs - 1;
    expect(listed()).toBeDefined();
    clock.nowMs = endMs;
    expect(listed()).toBeUndefined();
    expect(catalog.find(slug)?.model).toBe(answerModels[0]?.model);
  });

  it('cannot be used to change the catalog', () => {
    const { catalog } = build();
    expect(() => (catalog.list()[0]!.features as string[]).push('x')).toThrow(TypeError);
  });
});

describe('the features of an answer model', () => {
  const declaring = (features: readonly string[]) => {
    const { model, ...others } = provided('exa/answer');
    return { ...others, model: { ...model, features, vendorFeatures: Object.keys(FEATURE_FLAGS) } };
  };
  const SERVED =
    'citations streaming reasoning deep_research multi_turn json_schema instructions max_output_tokens legacy deprecated'.split(
      ' ',
    );

  it.each(Object.keys(FEATURE_FLAGS))('have %s only if callers can use the feature', (flag) => {
    const answerModels = [declaring([flag, 'words_of_the_host'])];
    const wanted = SERVED.includes(flag) ? [flag, 'words_of_the_host'] : ['words_of_the_host'];
    expect(entryOf('exa/answer', { answerModels })?.features).toEqual(wanted);
  });

  it.each(Object.keys(FEATURE_FLAGS))('can be overridden with %s only if callers can use the feature', (flag) => {
    const problems = problemsOf({ overrides: { 'exa/answer': { features: ['ours', flag] } } });
    const expected = `a feature that callers of this gateway can use, such as ${SERVED.join(', ')}`;
    const problem = { path: 'models["exa/answer"].features[1]', found: `"${flag}"`, expected };
    expect(problems).toEqual(SERVED.includes(flag) ? [] : [problem]);
  });

  it('are those of the vendor if a model is only listed', () => {
    expect(entryOf('exa/neural')?.features).toContain('domains_filter');
    expect(problemsOf({ overrides: { 'exa/neural': { features: ['streaming'] } } })).toEqual([]);
  });
});

describe('overrides', () => {
  it('hide an answer model from listing and calls', () => {
    const { catalog } = build({ overrides: { 'exa/answer': { hidden: true }, 'exa/neural': { hidden: true } } });
    expect(catalog.find('exa/answer')).toBeUndefined();
    expect(catalog.categoryOf('exa/answer')).toBeUndefined();
    expect(catalog.categoryOf('exa/neural')).toBeUndefined();
    expect(catalog.list()).toHaveLength(86);
  });

  it('change the entry and the deadline of an answer model', () => {
    const changed = {
      name: 'Ours',
      description: 'Asks.',
      features: ['reasoning'],
      contextLength: 8_000,
      verifiedAt: '2026-11-29',
    };
    const overrides = { 'exa/answer': { ...changed, timeoutMs: 9_000 } };
    expect(entryOf('exa/answer', { overrides })).toMatchObject(changed);
    const found = build({ overrides }).catalog.find('exa/answer');
    expect(found?.timeoutMs).toBe(9_000);
    expect(found?.model).toBe(answer.model);
  });

  it('set the listed, quoted and charged price of an answer model', () => {
    const price = { typical: '0.01', ceiling: '0.02' };
    const { catalog } = build({ overrides: { 'perplexity/sonar': { price: '0.02' }, 'exa/answer': { price } } });
    expect(catalog.list({ category: 'answer' }).map(({ pricing }) => pricing)).toEqual([
      { unit: 'USD', request: '-1' },
      { unit: 'USD', request: '0.02' },
    ]);
    const model = catalog.find('perplexity/sonar');
    expect(model && quote(priceAt(model.prices, 0), undefined, { markup: parseMultiplier('1') })).toBe(20_000_000n);
  });

  it('correct a wrong price of a provider, or hide the model', () => {
    const broken = provided('exa/answer', { kind: 'flat', request: '5000', ...provenance });
    expect(pathsOf({ answerModels: [broken] })[0]).toBe('models["exa/answer"].prices[0].request');
    expect(problemsOf({ answerModels: [broken], overrides: { 'exa/answer': { price: '0.005' } } })).toEqual([]);
    expect(problemsOf({ answerModels: [broken], overrides: { 'exa/answer': { hidden: true } } })).toEqual([]);
  });

  it('change a listed model', () => {
    const changed = { maxResults: 50, searchTypes: ['auto'], pricing: { request: '0.006' } };
    const neural = { ...changed, pricing: { request: '0.0060' } };
    const overrides = { 'exa/neural': neural, 'exa/auto': { price: '0.004' } };
    expect(entryOf('exa/neural', { overrides })).toMatchObject(changed);
    expect(entryOf('exa/auto', { overrides })?.pricing).toEqual({ unit: 'USD', request: '0.004' });
  });

  it('add a model that is only listed', () => {
    const overrides: ModelOverrides = {
      'own/vectors': {
        category: 'embedding',
        provider: 'Own Company',
        name: 'Own vectors',
        description: 'Our own embedding.',
        pricing: { perMillionTokens: '0.01' },
        dimensions: 768,
        maxInputTokens: 512,
      },
    };
    expect(entryOf('own/vectors', { overrides }, '2')).toEqual({
      id: 'own/vectors',
      createdMs: 0,
      name: 'Own vectors',
      category: 'embedding',
      provider: 'Own Company',
      description: 'Our own embedding.',
      pricing: { unit: 'USD', perMillionTokens: '0.02' },
      ...NOTHING,
      policies: [],
      features: [],
      dimensions: 768,
      maxInputTokens: 512,
      callable: false,
    });
    expect(build({ overrides }).catalog.find('own/vectors')).toBeUndefined();
  });

  it('may repeat the category of a model that the catalog already knows', () => {
    expect(problemsOf({ overrides: { 'exa/neural': { category: 'search' } } })).toEqual([]);
  });
});

describe('buildCatalog refuses', () => {
  it('an end of a model that is no day', () => {
    const model = { ...answer.model, retiresOn: '2027-02-30' };
    expect(pathsOf({ answerModels: [{ ...answer, model }] })).toEqual(['models["exa/answer"].retiresOn']);
  });

  it('an unknown model, naming the nearest slug', () => {
    expect(problemsOf({ overrides: { 'exa/anwser': { hidden: true } } })).toEqual([
      {
        path: 'models["exa/anwser"]',
        found: 'an unknown model',
        expected: expect.stringContaining('answer models come with their provider') as string,
        nearest: 'exa/answer',
      },
    ]);
    const own = { category: 'answer', name: 'Own', description: 'Own.' } as const;
    expect(problemsOf({ overrides: { 'own/answer': own } })).toHaveLength(1);
  });

  it.each<[string, string, object, string]>([
    ['a deadline for a model that is only listed', 'exa/neural', { timeoutMs: 9 }, '.timeoutMs'],
    ['a day of a call of one', 'exa/neural', { verifiedAt: '2026-11-29' }, '.verifiedAt'],
    ['a dynamic price for one', 'exa/neural', { price: { typical: '0.1', ceiling: '0.2' } }, '.price'],
    ['a price in two forms', 'exa/neural', { price: '0.1', pricing: { request: '0.1' } }, ''],
    ['no price at all', 'exa/neural', { pricing: {} }, '.pricing'],
    ['a price out of bounds', 'exa/neural', { pricing: { request: '11' } }, '.pricing.request'],
    ['vector lengths of a search model', 'exa/neural', { dimensions: 9 }, '.dimensions'],
    ['a shortest vector of a search model', 'exa/neural', { leastDimensions: 9 }, '.leastDimensions'],
    ['another provider for a known model', 'exa/neural', { provider: 'x' }, '.provider'],
    ['another category for a known model', 'exa/neural', { category: 'extract' }, '.category'],
    ['listed-only prices for an answer model', 'exa/answer', { pricing: { request: '1' } }, '.pricing'],
    ['a wrong price for an answer model', 'exa/answer', { price: '-1' }, '.price'],
    ['a malformed slug', 'Own', { category: 'search', name: 'O', description: 'O.', price: '0' }, ''],
  ])('%s', (_, slug, override, field) => {
    expect(pathsOf({ overrides: { [slug]: override } })).toEqual([`models["${slug}"]${field}`]);
  });

  it('an added model without name, description and price', () => {
    const paths = pathsOf({ overrides: { 'own/index': { category: 'search' } } });
    expect(paths).toEqual(['name', 'description', 'pricing'].map((field) => `models["own/index"].${field}`));
  });

  it('a slug used twice, within answer models or across categories', () => {
    const [found, expected] = ['two models of this slug', 'a slug of its own for each model'];
    expect(problemsOf({ answerModels: [answer, answer] })).toEqual([{ path: 'models["exa/answer"]', found, expected }]);
    const answerModels = [provided('exa/neural')];
    for (const overrides of [{}, { 'exa/neural': { hidden: true } }])
      expect(problemsOf({ answerModels, overrides })).toMatchObject([{ found }]);
  });

  it.each(['exa', 'exa/', '/answer', 'exa/answer:floor', 'exa/an swer', 'EXA/answer'])('the slug %j', (slug) => {
    expect(problemsOf({ answerModels: [provided(slug)] })).toHaveLength(1);
  });

  it('a slug of another provider', () => {
    expect(problemsOf({ answerModels: [{ ...answer, provider: 'perplexity' }] })[0]).toMatchObject({
      path: 'models["exa/answer"]',
      expected: 'a slug of the form perplexity/<model>',
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, 1, 2 ** 31 - 1])(
    'a deadline of %d ms if no timer can have it',
    (timeoutMs) => {
      const isTimed = timeoutMs === 1 || timeoutMs === 2 ** 31 - 1;
      const paths = pathsOf({ answerModels: [{ ...answer, model: { ...answer.model, timeoutMs } }] });
      expect(paths).toEqual(isTimed ? [] : ['models["exa/answer"].timeoutMs']);
    },
  );

  it('all problems at once', () => {
    const overrides: ModelOverrides = { 'exa/answer': { price: 'x' }, 'exa/neural': { timeoutMs: 1 }, 'no/model': {} };
    expect(problemsOf({ overrides })).toHaveLength(3);
  });
});
