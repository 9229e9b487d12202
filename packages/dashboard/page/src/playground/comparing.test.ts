import { expect, it } from 'vitest';
import type { Model } from '../../../src/api/contract.js';
import { chosenModels, priceBefore } from './chosen-models.js';
import { countModels } from './shared-sources.js';

const model = (id: string, category: Model['category'] = 'answer', price = '$0.005 a call'): Model => ({
  id,
  name: id,
  category,
  provider: 'house',
  features: [],
  policies: [],
  options: [],
  price,
});

it.each([
  ['', 'a', []],
  ['b,a,b', 'b,a', []],
  ['gone,b', 'b', ['gone']],
  ['b,find,<b>', 'b', ['find', '<b>']],
  ['find,a', 'find', ['a']],
  ['e,d,c,b,a', 'e,d,c,b', ['a']],
])('the models "%s" of an address are %s', (ids, chosen, leftOut) => {
  const models = ['a', 'b', 'c', 'd', 'e'].map((id) => model(id));
  const found = chosenModels([...models, model('find', 'search')], model('a'), ids);
  expect([found.chosen.map(({ id }) => id).join(','), found.leftOut]).toEqual([chosen, leftOut]);
});

it.each([
  [['$0.005 a call', '$0.007 a call, $0.001 a result beyond 10', 'free'], 'asks 3 models: about $0.012'],
  [['$0.005 a call', '$0.001 a call, $0.002 a result'], 'asks 2 models: about $0.005 and what m1 uses'],
  [['depends on use', '$0.002 a page with text'], 'asks 2 models: what m0 uses and what m1 uses'],
])('the prices %j are together: %s', (prices, text) => {
  expect(priceBefore(prices.map((price, at) => model(`m${at}`, 'answer', price)))).toBe(text);
});

it('counts an address once for each model, whatever its fragment and its last slash', () => {
  const of = (...urls: string[]) => urls.map((url) => ({ url }));
  const counts = countModels([
    of('https://example.org/a/', 'https://example.org/a#top', 'https://example.org'),
    of('https://EXAMPLE.org/a', 'https://example.org/a?page=2', 'not an address'),
    of('https://example.org/#x', 'https://example.org/A'),
  ]);
  expect(Object.fromEntries(counts)).toEqual({
    'https://example.org/a': 2,
    'https://example.org': 2,
    'https://example.org/a?page=2': 1,
    'not an address': 1,
    'https://example.org/A': 1,
  });
});
