import { expect, it } from 'vitest';
import type { Model } from '../../../src/api/contract.js';
import { KINDS } from './kinds.js';
import { givenOptions } from './search-fields.js';

const TYPED = { instructions: 'Be brief.', max_output_tokens: '300', country: 'DE', max_results: '5' };
const model = (category: Model['category'], features: readonly string[]): Model => ({
  id: 'house/model',
  name: 'House',
  category,
  provider: 'house',
  features,
  policies: [],
  options: ['country'],
  price: '',
});

it.each([
  ['answer', ['instructions', 'max_output_tokens'], { instructions: 'Be brief.', maxOutputTokens: 300 }],
  ['answer', ['max_output_tokens'], { maxOutputTokens: 300 }],
  ['answer', ['citations'], {}],
  ['search', ['instructions', 'content'], { maxResults: 5 }],
] as const)('a model of the category %s with %j is asked for what it has features for', (category, features, given) => {
  const options = givenOptions(model(category, features), TYPED);
  expect(options).toEqual({ ...given, country: 'DE' });
  const { request } = KINDS[category].callOf({ model: 'house/model', query: 'When?', list: [], options });
  expect(request).toEqual({ model: 'house/model', query: 'When?', search: { country: 'DE' }, ...given });
});
