import { describe, expect, it } from 'vitest';
import { wireName } from '../wire-name.js';
import { createNamesCheck, createPlaces } from './field-names.js';
import { HARMLESS, NO_SLIPS, REFUSED_FIELDS } from './refused-fields.js';

const FIELDS = ['model', 'query', 'include_citations', 'stream', 'search', 'routing', 'tag'];
const check = createNamesCheck({ fields: FIELDS, nameOf: wireName, placeOf: createPlaces(wireName) });

function refusal(given: object): unknown {
  try {
    check(given);
  } catch (error) {
    return error;
  }
  return null;
}

describe('the names of fields', () => {
  it('are accepted if they are known or unrelated', () => {
    const ignored = ['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty', 'user', 'a', ''];
    const given = [...FIELDS, ...ignored, ...NO_SLIPS, '__proto__', 'constructor', 'x'.repeat(1_000_000)];
    expect(refusal(Object.fromEntries(given.map((name) => [name, 'x'])))).toBeNull();
  });

  it.each([
    ['include_domains', 'search.include_domains'],
    ['excludeDomains', 'search.exclude_domains'],
    ['freshness', 'search.freshness'],
    ['country', 'search.country'],
    ['max_cost', 'routing.max_cost'],
    ['maxCost', 'routing.max_cost'],
    ['sort', 'routing.sort'],
    ['fallbacks', 'routing.fallbacks'],
    ['models', 'routing.fallbacks'],
    ['search_domain_filter', 'search.include_domains'],
    ['startPublishedDate', 'search.published_after'],
    ['web_search_options', 'search'],
    ['messages', 'query'],
    ['metadata', 'tag'],
    ['INCLUDE-DOMAINS', 'search.include_domains'],
    ['price_limit', 'routing.max_cost'],
    ['date_from', 'search.published_after'],
  ])('with an equivalent are refused with its name: %s', (name, place) => {
    const message = expect.stringContaining(`In place of ${name}, use ${place}.`) as string;
    expect(refusal({ [name]: 'x' })).toMatchObject({ reason: 'unsupported_field', param: name, message });
  });

  it.each(
    `
      system max_tokens maxOutputTokens instructions tools max_results safesearch cache max-tokens System-Prompt TEXT
      persona tools[] Tool-Choice reasoning thinking n`
      .trim()
      .split(/\s+/),
  )('without an equivalent are refused: %s', (name) => {
    const message = expect.stringContaining(`Leave out ${name}.`) as string;
    expect(refusal({ [name]: 'x' })).toMatchObject({ reason: 'unsupported_field', param: name, message });
  });

  it.each([
    ['serach', 'search'],
    ['steam', 'stream'],
    ['Model', 'model'],
    ['ROUTING', 'routing'],
    ['TAG', 'tag'],
    ['Serach', 'search'],
    ['include-citation', 'include_citations'],
    ['includeCitations', 'include_citations'],
    ['include_domain', 'search.include_domains'],
    ['freshnes', 'search.freshness'],
    ['max_costs', 'routing.max_cost'],
  ])('that are misspelled are refused with the field that was meant: %s', (name, meant) => {
    const message = `is no field: did you mean "${meant}"?`;
    expect(refusal({ [name]: 'x' })).toMatchObject({
      reason: 'invalid_field',
      param: name,
      details: { issues: [{ path: name, message }] },
      message: expect.stringContaining(`${name} ${message}`) as string,
    });
  });

  it.each(['serach', 'max_tokens', 'include_domains'])('are accepted without a value: %s', (name) => {
    expect(refusal({ [name]: null })).toBeNull();
    expect(refusal({ [name]: undefined })).toBeNull();
  });

  it('that are harmless with some values are refused with others', () => {
    for (const [name, values] of HARMLESS) {
      expect(REFUSED_FIELDS.get(name)).toBeNull();
      for (const value of values) expect([name, refusal({ [name]: value })]).toEqual([name, null]);
      for (const value of ['x', true, 2, [], {}]) expect(refusal({ [name]: value })).toMatchObject({ param: name });
    }
  });

  it('are compared up to a hundred times, and are refused by the lists however many there are', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`other_name_${index}`, 1]));
    expect(refusal({ serach: 1, ...many })).toMatchObject({ reason: 'invalid_field' });
    expect(refusal({ ...many, serach: 1 })).toBeNull();
    expect(refusal({ ...many, SEARCH: 1 })).toMatchObject({ reason: 'invalid_field' });
    expect(refusal({ ...many, system: 1 })).toMatchObject({ reason: 'unsupported_field' });
  });

  it('of the lists are no fields of this API, and each is listed once', () => {
    const plain = [...REFUSED_FIELDS.keys()].map((name) => name.replaceAll('_', ''));
    expect(new Set(plain).size).toBe(plain.length);
    for (const field of FIELDS) expect(REFUSED_FIELDS.has(field)).toBe(false);
  });
});
