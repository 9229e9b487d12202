import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DynamicPrice, FlatPrice, ModelRow } from '../../../packages/core/src/catalog/model-entry.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { everyProvider } from '../every-provider.js';
import { withGenerated } from './generated-part.js';
import { optionTable } from './option-table.js';
import { providerDocuments } from './provider-documents.js';
import { modelTable, overviewTable } from './provider-tables.js';

const PROVENANCE = { source: 'https://example.org/prices', asOf: '2026-11-20', confidence: 'high' } as const;
const FLAT: FlatPrice = { kind: 'flat', request: '0.005', ...PROVENANCE };
const DYNAMIC: DynamicPrice = { kind: 'dynamic', typical: '0.01', ceiling: '0.2', ...PROVENANCE };

function mini(models: Readonly<Record<string, Partial<ModelRow>>>): Provider {
  return {
    id: 'mini',
    name: 'Mini',
    answer: { answer: () => Promise.reject(new Error('no provider is asked')) },
    models: Object.entries(models).map(([name, model]) => ({
      slug: `mini/${name}`,
      name,
      description: 'It answers.',
      prices: [FLAT],
      features: ['citations'],
      contextLength: null,
      timeoutMs: 30_000,
      ...model,
    })),
  };
}

describe('the documents of providers', () => {
  it('match the output of `npm run docs:providers`', () => {
    for (const { path, current, wanted } of providerDocuments(join(import.meta.dirname, '../../..'), everyProvider()))
      expect(current, `${path} is out of date: npm run docs:providers`).toBe(wanted);
  });
});

describe('overviewTable', () => {
  it('has one line per model, with a link to the page of its provider', () => {
    const provider = mini({
      flat: {},
      dynamic: { prices: [DYNAMIC], timeoutMs: 1_500 },
    });
    expect(overviewTable([provider])).toBe(
      `| model | price (USD) | deadline (s) |
| --- | --- | --- |
| [\`mini/flat\`](providers/mini.md) | 0.005 | 30 |
| [\`mini/dynamic\`](providers/mini.md) | 0.01–0.2 | 1.5 |`,
    );
  });

  it('shows the start of a future price', () => {
    const prices = [FLAT, { ...FLAT, request: '0.006', validFrom: '2027-01-01' }];
    expect(overviewTable([mini({ a: { prices } })])).toContain('| 0.005; 0.006 from 2027-01-01 |');
  });

  it('marks a model whose notes say that it is experimental', () => {
    const experimental = mini({ a: { prices: [{ ...FLAT, notes: 'Experimental: not proved.' }] } });
    expect(overviewTable([experimental])).toContain('| [`mini/a`](providers/mini.md), experimental |');
  });
});

describe('modelTable', () => {
  it('has descriptions, token prices and sources of the models', () => {
    const tokens = { perMillionInputTokens: '1.4', perMillionCachedInputTokens: '0.26', perMillionOutputTokens: '4.4' };
    const provider = mini({
      a: { prices: [{ ...DYNAMIC, ...tokens, perSearch: '0.01' }], description: 'One | two.' },
      b: {
        prices: [FLAT, { ...DYNAMIC, perSearch: '0.02', validFrom: '2027-01-01', source: 'https://a.example ; mail' }],
      },
    });
    expect(modelTable(provider)).toBe(
      `| model | price (USD) | USD per million tokens, per search | as of | confidence | description |
| --- | --- | --- | --- | --- | --- |
| \`mini/a\` | 0.01–0.2 | 1.4 in, 0.26 cached, 4.4 out, 0.01 search | 2026-11-20 | high | One \\| two. |
| \`mini/b\` | 0.005; 0.01–0.2 from 2027-01-01 | 0.02 search from 2027-01-01 | 2026-11-20 | high | It answers. |

Sources of the prices: https://example.org/prices, https://a.example, mail`,
    );
  });

  it('has no column for rates if no model has rates', () => {
    expect(modelTable(mini({ a: {} }))).toContain('| model | price (USD) | as of |');
  });

  it('lists a note of several models once', () => {
    const noted = { prices: [{ ...FLAT, notes: 'An estimate.' }] };
    expect(modelTable(mini({ a: noted, b: noted, c: {} }))).toContain('\n- `mini/a`, `mini/b`: An estimate.\n');
    expect(modelTable(mini({ a: noted, b: noted }))).toContain('\n- An estimate.\n');
  });
});

describe('modelTable, of features that callers cannot use', () => {
  it('lists further features of the vendor once', () => {
    const vendorFeatures = ['streaming', 'date_filter'];
    const line = 'Not offered: `streaming`, `date_filter`.';
    const some = modelTable(mini({ a: { vendorFeatures }, b: {}, c: { vendorFeatures } }));
    expect(some).toContain(`\n- \`mini/a\`, \`mini/c\`: ${line}\n`);
    expect(modelTable(mini({ a: { vendorFeatures } }))).toContain(`\n- ${line}\n`);
    expect(modelTable(mini({ a: {} }))).not.toContain('Not offered');
  });
});

describe('optionTable', () => {
  it('has one line for equal models of a provider, with the limits of their vendor', () => {
    const options = {
      includeDomains: { as: 'sites', max: 5 },
      excludeDomains: { as: 'others' },
      publishedAfter: { as: 'from', needs: ['publishedBefore'] },
      country: { as: 'gl', values: ['DE', 'FR'] },
    } as const;
    const head =
      '| models | `include_domains` | `exclude_domains` | `freshness` | `published_after` | `published_before` | `country` | `language` |';
    const rule = '| --- | --- | --- | --- | --- | --- | --- | --- |';
    const cells = 'at most 5 | yes | – | with `published_before` | – | 2 values | –';
    expect(optionTable([mini({ a: { options }, b: { options } })])).toBe(
      `${head}\n${rule}\n| [Mini](providers/mini.md): all | ${cells} |`,
    );
    expect(optionTable([mini({ a: { options }, b: {} })])).toContain(
      `| [Mini](providers/mini.md): \`mini/a\` | ${cells} |`,
    );
  });

  it('names the providers without any option', () => {
    expect(optionTable([mini({ a: {} })])).toContain('No model of [Mini](providers/mini.md) supports any.');
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
    expect(() => providerDocuments(root, [mini({ a: {} })])).toThrow(
      'docs/providers/mini.md: expected one <!-- models:start -->',
    );
  });
});
