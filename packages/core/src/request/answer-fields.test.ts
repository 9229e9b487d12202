import { describe, expect, it } from 'vitest';
import { isRequestError } from '../base/errors/request-error.js';
import { createAnswerFieldsCheck, type UncheckedAnswerFields } from './answer-fields.js';

const GIVEN: UncheckedAnswerFields = {
  model: 'exa/answer',
  query: 'When?',
  includeCitations: undefined,
  stream: undefined,
  search: undefined,
  routing: undefined,
  tag: undefined,
};
const READ = { ...GIVEN, includeCitations: true, stream: false };

/** @param fields in place of those of a good question. */
function check(fields: object) {
  const onTheWire = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return createAnswerFieldsCheck(10, onTheWire)({ ...GIVEN, ...fields });
}

function issues(fields: object): unknown {
  try {
    return check(fields);
  } catch (error) {
    return isRequestError(error) && [error.reason, error.param, error.details];
  }
}

describe('the fields of a question', () => {
  it.each<[given: object, read: object]>([
    [{}, {}],
    [{ query: `  ${'x'.repeat(10)} ` }, { query: `  ${'x'.repeat(10)} ` }],
    [{ model: 'm'.repeat(256) }, { model: 'm'.repeat(256) }],
    [{ includeCitations: false }, { includeCitations: false }],
    [{ stream: true }, { stream: true }],
    [{ stream: false }, { stream: false }],
    [{ stream: null, tag: null }, {}],
    [{ tag: 'team-a' }, { tag: 'team-a' }],
    [{ search: { country: 'de' } }, { search: { country: 'DE' } }],
    [{ search: null, routing: {} }, {}],
  ])('are read: %j', (given, read) => {
    expect(check(given)).toEqual({ ...READ, ...read });
  });

  it.each([
    ['model', undefined, 'is required: a string such as "exa/answer"'],
    ['model', 7, 'must be a string such as "exa/answer"'],
    ['model', '', 'must not be empty'],
    ['model', 'm'.repeat(257), 'must have at most 256 characters'],
    ['query', undefined, 'is required: a string'],
    ['query', null, 'must be a string'],
    ['query', ' \n', 'must not be empty'],
    ['model', 'exa/\ud83c', 'must have no NUL character and no half of a surrogate pair'],
    ['query', 'a\0', 'must have no NUL character and no half of a surrogate pair'],
    ['query', 'a\udf09', 'must have no NUL character and no half of a surrogate pair'],
    ['query', 'x'.repeat(11), 'must have at most 10 characters'],
    ['includeCitations', 'yes', 'must be true or false'],
    ['includeCitations', null, 'must be true or false'],
    ['stream', 'yes', 'must be true or false'],
    ['tag', 7, 'must be a string'],
    [
      'tag',
      ' a',
      'must be 1 to 64 letters, marks, numbers, punctuation, symbols, spaces and joiners, with no space or joiner at either end',
    ],
  ])('are refused by their name on the wire: %s %j', (field, value, message) => {
    const path = field === 'includeCitations' ? 'include_citations' : field;
    expect(issues({ [field]: value })).toEqual(['invalid_field', path, { issues: [{ path, message }] }]);
  });

  it.each([
    [{ search: { country: 'XX' } }, ['search.country']],
    [{ routing: 7 }, ['routing']],
    [{ search: 7, routing: 7, tag: 7, model: 7 }, ['model', 'tag', 'search', 'routing']],
  ])('are all named when they are wrong: %j', (fields, paths) => {
    const named = paths.map((path) => expect.objectContaining({ path }) as object);
    expect(issues(fields)).toEqual(['invalid_field', paths[0], { issues: named }]);
  });
});
