import { describe, expect, it } from 'vitest';
import { REASONS, type Reason } from './reasons.js';
import { isRequestError, RequestError } from './request-error.js';

const messageOf = (reason: Reason, options: object) => new RequestError(reason, options).message;

describe('the text of an error', () => {
  it.each(Object.keys(REASONS) as Reason[])('names the field of %s', (reason) => {
    expect(messageOf(reason, { param: 'search.pages' })).toContain(' search.pages.');
    expect(messageOf(reason, {})).toBe(REASONS[reason].message);
  });

  const issue = (path: string) => ({ path, message: 'is no' });
  const [search, found] = [{ category: 'search', path: '/api/v1/search' }, 'It is a model of category search'];
  const option = { options: ['country'], models: ['you/answer'] };

  it.each([
    ['invalid_field', 'query', { issues: [issue('query')] }, 'query is no.'],
    ['invalid_field', 'a', { issues: 'abcd'.split('').map(issue) }, 'a is no. b is no. c is no.'],
    ['invalid_parameter', 'by', { allowed: ['day', 'tag'] }, 'by must be day or tag.'],
    ['method_not_allowed', null, { allow: ['POST'] }, 'Use POST.'],
    ['model_not_found', 'model', { suggestions: ['exa/a', 'exa/b'] }, 'Did you mean "exa/a" or "exa/b"?'],
    ['model_not_found', 'by', { suggestions: [] }, 'The field is by. GET /api/v1/models lists all.'],
    ['model_category_mismatch', 'model', search, `${found}: send it to /api/v1/search.`],
    ['model_category_mismatch', 'model', { ...search, path: null }, `${found}.`],
    ['unsupported_option', 'search.a', option, 'The field is search.a. Leave out country, or use you/answer.'],
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
