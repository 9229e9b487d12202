import { describe, expect, it } from 'vitest';
import { REASONS, type Reason } from './reasons.js';
import { isRequestError, RequestError } from './request-error.js';

const messageOf = (reason: Reason, options: object) => new RequestError(reason, options).message;

describe('the text of an error', () => {
  it.each(Object.keys(REASONS) as Reason[])('names the field of %s', (reason) => {
    expect(messageOf(reason, { param: 'search.pages' })).toContain(' search.pages.');
    expect(messageOf(reason, {})).toBe(REASONS[reason].message);
  });

  it.each([
    [
      'invalid_field',
      'query',
      { issues: [{ path: 'query', message: 'is required: a string' }] },
      'query is required: a string.',
    ],
    [
      'invalid_field',
      'a',
      { issues: 'abcd'.split('').map((path) => ({ path, message: 'is no' })) },
      'a is no. b is no. c is no.',
    ],
    ['invalid_parameter', 'by', { allowed: ['day', 'tag'] }, 'by must be day or tag.'],
    ['method_not_allowed', null, { allow: ['POST'] }, 'Use POST.'],
    [
      'model_not_found',
      'model',
      { suggestions: ['exa/answer', 'exa/deep'] },
      'Did you mean "exa/answer" or "exa/deep"?',
    ],
    [
      'model_not_found',
      'routing.fallbacks',
      { suggestions: [] },
      'The field is routing.fallbacks. GET /api/v1/models lists all.',
    ],
    [
      'model_category_mismatch',
      'model',
      { category: 'search', path: '/api/v1/search' },
      'It is a model of category search: send it to /api/v1/search.',
    ],
    ['model_category_mismatch', 'model', { category: 'search', path: null }, 'It is a model of category search.'],
    [
      'unsupported_option',
      'search.country',
      { options: ['country'], models: ['you/answer'] },
      'The field is search.country. Leave out country, or use you/answer.',
    ],
  ] as const)('of %s of %s says what %j says', (reason, param, details, words) => {
    expect(messageOf(reason, { param: param ?? undefined, details })).toBe(`${REASONS[reason].message} ${words}`);
  });

  it('narrows the details by the reason', () => {
    const error: unknown = new RequestError('invalid_parameter', { param: 'by', details: { allowed: ['day'] } });
    if (!isRequestError(error) || error.reason !== 'invalid_parameter') throw error;
    const allowed: readonly string[] | undefined = error.details?.allowed;
    expect(allowed).toEqual(['day']);
  });
});
