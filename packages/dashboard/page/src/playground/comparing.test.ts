import { expect, it } from 'vitest';
import type { Model } from '../../../src/api/contract.js';
import { chosenModels } from './chosen-models.js';
import { countModels } from './shared-sources.js';

const model = (id: string, category: Model['category'] = 'answer'): Model => ({
  id,
  name: id,
  category,
  provider: 'house',
  features: [],
  policies: [],
  options: [],
  price: '',
});

it.each([
  ['', 'a'],
  ['b,a,b', 'b,a'],
  ['gone,b', 'b'],
  ['b,find,<b>', 'b'],
  ['find,a', 'find'],
  ['e,d,c,b,a', 'e,d,c,b'],
])('the models of "%s" are %s', (ids, chosen) => {
  const others = ['b', 'c', 'd', 'e'].map((id) => model(id));
  const found = chosenModels([model('a'), ...others, model('find', 'search')], ids);
  expect(found.map(({ id }) => id).join(',')).toBe(chosen);
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
