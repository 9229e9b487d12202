import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DynamicPrice, FlatPrice, ModelRow } from '../../../packages/core/src/catalog/model-entry.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { everyProvider } from '../every-provider.js';
import { withGenerated } from './generated-part.js';
import { extractTable, featureTable, optionTable, searchTable } from './option-table.js';
import { providerDocuments } from './provider-documents.js';
import { modelTable, overviewTable } from './provider-tables.js';

const PROVENANCE = { source: 'https://example.org/prices', asOf: '2026-11-20', confidence: 'high' } as const;
const FLAT: FlatPrice = { kind: 'flat', request: '0.005', ...PROVENANCE };
const DYNAMIC: DynamicPrice = { kind: 'dynamic', typical: '0.01', ceiling: '0.2', ...PROVENANCE };

type Rows = Readonly<Record<string, Partial<ModelRow>>>;

function rows(models: Rows): ModelRow[] {
  return Object.entries(models).map(([name, model]) => ({
    slug: `mini/${name}`,
    name,
    description: 'It answers.',
    prices: [FLAT],
    features: ['citations'],
    contextLength: null,
    timeoutMs: 30_000,
    ...model,
  }));
}

const refuse = () => Promise.reject(new Error('no provider is asked'));

function mini(models: Rows): Provider {
  return { id: 'mini', name: 'Mini', answer: { answer: refuse }, models: rows(models) };
}

/** A provider that only searches and reads. */
function finder(search: Rows, extract: Rows = {}): Provider {
  return {
    id: 'mini',
    name: 'Mini',
    models: [],
    search: { models: rows(search), search: refuse },
    extract: { models: rows(extract), maxUrls: 5, extract: refuse },
  };
}

const documents = providerDocuments(join(import.meta.dirname, '../../..'), everyProvider());

/** The words of a page outside its headings, tables, code and generated part. */
function proseWords(page: string): number {
  const prose = page.replace(/<!-- models:start -->[^]*<!-- models:end -->|^```[^]*?^```$|^[|#].*$/gm, '');
  return prose.split(/\s+/).filter(Boolean).length;
}

describe('the documents of providers', () => {
  it.each(documents.filter(({ path }) => path.startsWith('docs/providers/')))(
    '$path says in 60 words what its tables do not',
    ({ current }) => expect(proseWords(current)).toBeLessThanOrEqual(60),
  );

  it('match the output of `npm run docs:providers`', () => {
    for (const { path, current, wanted } of documents)
      expect(current, `${path} is out of date: npm run docs:providers`).toBe(wanted);
  });
});

describe('overviewTable', () => {
  it('has one line per provider that answers, with the least and the most of its models', () => {
    const models = { flat: {}, dynamic: { prices: [DYNAMIC], timeoutMs: 1_500 } };
    expect(overviewTable([mini(models), finder({ a: {} }), mini({ flat: {} })])).toBe(
      `| provider | models | price (USD) | deadline (s) |
| --- | --- | --- | --- |
| [Mini](providers/mini.md) | 2 | 0.005–0.2 | 1.5–30 |
| [Mini](providers/mini.md) | 1 | 0.005 | 30 |`,
    );
  });

  it('counts future prices', () => {
    const prices = [FLAT, { ...FLAT, request: '0.06', validFrom: '2027-01-01' }];
    expect(overviewTable([mini({ a: { prices } })])).toContain('| 0.005–0.06 |');
  });

  it('marks a provider whose notes say that it is experimental', () => {
    const experimental = mini({ a: { prices: [{ ...FLAT, notes: 'Experimental: not proved.' }] } });
    expect(overviewTable([experimental])).toContain('| [Mini](providers/mini.md), experimental |');
  });
});

describe('modelTable', () => {
  it('has descriptions and token prices of the models', () => {
    const tokens = { perMillionInputTokens: '1.4', perMillionCachedInputTokens: '0.26', perMillionOutputTokens: '4.4' };
    const provider = mini({
      a: { prices: [{ ...DYNAMIC, ...tokens, perSearch: '0.01' }], description: 'One | two.' },
      b: {
        prices: [FLAT, { ...DYNAMIC, perSearch: '0.02', validFrom: '2027-01-01' }],
      },
    });
    expect(modelTable(provider)).toBe(
      `| model | price (USD) | USD per million tokens, per search | description |
| --- | --- | --- | --- |
| \`mini/a\` | 0.01–0.2 | 1.4 in, 0.26 cached, 4.4 out, 0.01 search | One \\| two. |
| \`mini/b\` | 0.005; 0.01–0.2 from 2027-01-01 | 0.02 search from 2027-01-01 | It answers. |

Prices as of 2026-11-20. [Sources](../../packages/core/src/providers/mini/models.json) · [Terms](../vendor-terms.md)`,
    );
  });

  it('tells the last real calls', () => {
    const verified = { 'mini/a': { day: '2026-11-29', version: '0.1.0', verdict: 'fault' } } as const;
    const table = modelTable(mini({ a: { replacement: 'mini/b' }, b: {} }), verified);
    expect(table).toContain('- `mini/a`: use `mini/b`; last called on 2026-11-29 by version 0.1.0: fault.');
    expect(table).not.toContain('- `mini/b`');
  });

  it('has no column for rates if no model has rates', () => {
    expect(modelTable(mini({ a: {} }))).toContain('| model | price (USD) | description |');
  });

  it('has the deadlines of models that answer, unless all are equal', () => {
    expect(modelTable(mini({ a: {}, b: { timeoutMs: 1_500 } }))).toContain('| `mini/b` | 0.005 | 1.5 | It answers. |');
    expect(modelTable(finder({ a: {}, b: { timeoutMs: 1_500 } }))).not.toContain('deadline');
  });

  it('names the oldest and the newest date of the prices, and the models whose price is an estimate', () => {
    const older = { prices: [{ ...FLAT, asOf: '2026-09-01' }] };
    const unsure = { prices: [{ ...FLAT, confidence: 'low' } as const] };
    expect(modelTable(finder({ a: older, b: {}, c: {} }, { d: unsure }))).toContain(
      'Prices as of 2026-09-01 to 2026-11-20; low confidence: `mini/d`. [Sources]',
    );
  });

  it('lists a note of several models once', () => {
    const noted = { prices: [{ ...FLAT, notes: 'An estimate.' }] };
    expect(modelTable(mini({ a: noted, b: noted, c: {} }))).toContain('\n- `mini/a`, `mini/b`: An estimate.\n');
    expect(modelTable(mini({ a: noted, b: noted }))).toContain('\n- An estimate.\n');
  });
});

describe('modelTable, of models that search and read', () => {
  it('names the kind of each model, with the prices of units', () => {
    const prices = [{ ...FLAT, request: '0.007', perResult: '0.001', includedResults: 10 }];
    const search = { a: { prices }, b: {}, c: { prices: [{ ...prices[0]!, resultStep: 10 }] } };
    const extract = { pages: { prices: [{ kind: 'flat', perPage: '0.002', ...PROVENANCE } as const] } };
    expect(modelTable(finder(search, extract))).toBe(
      `| for | models | price (USD) |
| --- | --- | --- |
| search | \`mini/a\` | 0.007 + 0.001 per result beyond 10 |
| search | \`mini/b\` | 0.005 |
| search | \`mini/c\` | 0.007 + 0.001 per result beyond 10 in steps of 10 |
| extract | \`mini/pages\` | 0.002 per page |

Prices as of 2026-11-20. [Sources](../../packages/core/src/providers/mini/models.json) · [Terms](../vendor-terms.md)`,
    );
  });

  it('has one line for models of a kind that cost the same', () => {
    const rates = { prices: [{ ...DYNAMIC, perMillionInputTokens: '0.3' }] };
    expect(modelTable(finder({ a: {}, b: rates, c: {} }, { d: {} }))).toContain(
      `| for | models | price (USD) |
| --- | --- | --- |
| search | \`mini/a\`, \`mini/c\` | 0.005 |
| search | \`mini/b\` | 0.01–0.2; USD per million tokens, per search: 0.3 in |
| extract | \`mini/d\` | 0.005 |`,
    );
  });

  it('shows the prices of units behind the range of a dynamic price', () => {
    const prices = [{ ...DYNAMIC, perResult: '0.001' }];
    expect(modelTable(finder({ a: { prices } }))).toContain('| 0.01–0.2 (0.001 per result) |');
  });

  it('says which kind of models a remark is about', () => {
    const noted = { prices: [{ ...FLAT, notes: 'An estimate.' }] };
    const table = modelTable(finder({ a: noted, b: noted }, { c: noted, d: {} }));
    expect(table).toContain('\n- All search models: An estimate.\n- `mini/c`: An estimate.\n');
  });

  it('leaves out a table without models', () => {
    expect(modelTable(finder({ a: {} }))).not.toContain('| extract |');
    expect(modelTable(finder({ a: {} }))).not.toContain('| description |');
    expect(modelTable(mini({ a: {} }))).not.toContain('| for |');
  });
});

describe('optionTable', () => {
  it('has one line for equal models of a provider, with the limits of their vendor', () => {
    const options = {
      includeDomains: { as: 'sites', max: 5 },
      excludeDomains: { as: 'others' },
      publishedAfter: { as: 'from' },
      country: { as: 'gl', values: ['DE', 'FR'] },
    } as const;
    const cell = '`include_domains` (at most 5), `exclude_domains`, `published_after`, `country` (2 values)';
    expect(optionTable([mini({ a: { options }, b: { options } })])).toBe(
      `| models | options |\n| --- | --- |\n| [Mini](providers/mini.md): all | ${cell} |`,
    );
    expect(optionTable([mini({ a: { options }, b: {} })])).toContain(
      `| [Mini](providers/mini.md): \`mini/a\` | ${cell} |`,
    );
  });

  it('names the providers without any option', () => {
    expect(optionTable([mini({ a: {} })])).toContain('No model of [Mini](providers/mini.md) supports any.');
  });
});

describe('optionTable, of a provider without answer models', () => {
  it('does not mention the provider', () => {
    expect(optionTable([finder({ a: {} })])).not.toContain('Mini');
  });
});

describe('featureTable', () => {
  it('names a provider whose models all have the feature, and else the models', () => {
    const both = ['multi_turn', 'instructions'];
    const table = featureTable([mini({ a: { features: both }, b: { features: ['multi_turn'] } })]);
    expect(table).toContain('| `multi_turn` | Mini |\n');
    expect(table).toContain('| `instructions` | `mini/a` |\n');
    expect(table).toContain('| `json_schema` |  |\n');
  });
});

describe('searchTable', () => {
  it('has one line for all models of a provider that cost and honor the same', () => {
    const options = { includeDomains: { as: 'sites', max: 5 }, freshness: { as: 'age' } } as const;
    const equal = { options, features: ['content'], maxResults: 20 };
    const [, , ...lines] = searchTable([finder({ a: equal, b: equal, c: { ...equal, maxResults: 50 } })]).split('\n');
    expect(lines).toEqual([
      '| [Mini](providers/mini.md): `mini/a`, `mini/b` | 0.005 | 20 | yes | `include_domains` (at most 5), `freshness` |',
      '| [Mini](providers/mini.md): `mini/c` | 0.005 | 50 | yes | `include_domains` (at most 5), `freshness` |',
    ]);
  });

  it('has a dash for a model without options, and no line for a provider without search models', () => {
    expect(searchTable([finder({ a: {} })])).toContain('`mini/a` | 0.005 | 10 | – | – |');
    expect(searchTable([mini({ a: {} })])).not.toContain('Mini');
  });
});

describe('extractTable', () => {
  it('has one line for each model, with the pages of one request and the deadline', () => {
    expect(extractTable([mini({ a: {} }), finder({}, { pages: { timeoutMs: 1_500 } })])).toBe(
      `| model | price (USD) | pages per request | deadline (s) |
| --- | --- | --- | --- |
| [Mini](providers/mini.md): \`mini/pages\` | 0.005 | 5 | 1.5 |`,
    );
  });
});

describe('withGenerated', () => {
  it('replaces only the text between the marks', () => {
    const once = withGenerated('# A\n<!-- x:start -->\n<!-- x:end -->\nB\n', 'x', 'new');
    expect(once).toBe('# A\n<!-- x:start -->\n\nnew\n\n<!-- x:end -->\nB\n');
    expect(withGenerated(once, 'x', 'new')).toBe(once);
  });

  it.each([
    'nothing',
    '<!-- x:start -->',
    '<!-- x:end --> <!-- x:start -->',
    '<!-- x:start --> <!-- x:end --> <!-- x:end -->',
    '<!-- x:start --> <!-- x:end --> <!-- x:start --> <!-- x:end -->',
  ])('refuses %j', (markdown) => {
    expect(() => withGenerated(markdown, 'x', 'new')).toThrow('expected one <!-- x:start -->');
  });
});

describe('providerDocuments', () => {
  it('names a page that is missing or has no place for its table', () => {
    const root = mkdtempSync(join(tmpdir(), 'provider-docs-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'docs/providers'), { recursive: true });
    expect(() => providerDocuments(root, [mini({ a: {} })])).toThrow('docs/providers/mini.md is missing');
    writeFileSync(join(root, 'docs/providers/mini.md'), '# Mini\n');
    writeFileSync(join(root, 'docs/verified.json'), '[]');
    expect(() => providerDocuments(root, [mini({ a: {} })])).toThrow('docs/verified.json');
    rmSync(join(root, 'docs/verified.json'));
    expect(() => providerDocuments(root, [mini({ a: {} })])).toThrow(
      'docs/providers/mini.md: expected one <!-- models:start -->',
    );
  });
});
