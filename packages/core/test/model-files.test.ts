import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readModels } from '../src/provider-kit/read-models.js';
import * as providers from '../src/providers/index.js';
import { modelFiles, problemsOf } from './model-files.js';

const files = modelFiles(join(import.meta.dirname, '../src/providers'));

it.each(files)('the rows of $file have the form that the reader trusts', ({ file, content }) => {
  expect(problemsOf(file, content)).toEqual([]);
});

// The prices of some providers follow a setting, whose default is a constant beside the code.
it.each(files)('the provider of $file has its rows and prices by default', ({ file, content }) => {
  const [id = ''] = file.split('/');
  const { models, search, extract, rerank, embed } = new Map(Object.entries(providers)).get(id)!({ apiKey: 'a-key' });
  const rows = Object.entries({ search, extract, rerank, embed }).map(([port, own]) => [port, own?.models ?? []]);
  expect({ answer: models, ...Object.fromEntries(rows) }).toEqual(readModels(id, content as object));
});

/** An answer model without a confidence of its price. */
const PRICE = { kind: 'dynamic', typical: '0.01', ceiling: '0.1', source: 'a price list', asOf: '2026-11-20' };
const MODEL = { name: 'A model', description: 'It answers.', features: ['citations'], timeoutMs: 1_000 };

it.each([
  ['a price without a confidence', {}, {}, 'answer.models.a.prices.0.confidence'],
  ['a price that is a number', {}, { ceiling: 0.1 }, 'answer.models.a.prices.0.ceiling'],
  ['a day that is none', {}, { confidence: 'low', asOf: '2026-11-31' }, 'answer.models.a.prices.0.asOf'],
  ['a misspelled rate', {}, { confidence: 'low', perSeach: '1' }, 'answer.models.a.prices.0'],
  ['a misspelled field', { timeoutsMs: 5 }, { confidence: 'low' }, 'answer.models.a'],
  ['no deadline', { timeoutMs: undefined }, { confidence: 'low' }, 'answer.models.a.timeoutMs'],
  ['an unknown feature', { features: ['cites'] }, { confidence: 'low' }, 'answer.models.a.features.0'],
  ['options that no table has', { options: 'search' }, { confidence: 'low' }, 'answer.models.a.options'],
])('%s is told with its file and path', (_fault, model, price, path) => {
  const content = { answer: { models: { a: { ...MODEL, prices: [{ ...PRICE, ...price }], ...model } } } };
  expect(problemsOf('x/models.json', content)).toEqual([expect.stringMatching(`^x/models.json: ${path}: `)]);
});
