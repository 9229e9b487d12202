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
const OUT_OF_TURN = 'must be of user and assistant by turns, of the user first and last';
const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });
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
    [{ messages: null }, {}],
    [{ query: undefined, messages: [user(' a ')] }, { query: ' a ' }],
    [
      { query: undefined, messages: [user('a'), said(' b'), user('c'.repeat(8))] },
      { query: 'c'.repeat(8), earlier: [user('a'), said(' b')] },
    ],
    [{ query: undefined, messages: [{ ...user('a'), name: 'ada' }] }, { query: 'a' }],
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
    ['query', '\u200b\u3164', 'must not be empty'],
    ['model', 'exa/\ud83c', 'must have no NUL character and no half of a surrogate pair'],
    ['query', 'a\0', 'must have no NUL character and no half of a surrogate pair'],
    ['query', 'a\udf09', 'must have no NUL character and no half of a surrogate pair'],
    ['query', 'x'.repeat(11), 'must have at most 10 characters'],
    ['messages', [user('When?')], 'cannot be sent with messages', 'query'],
    ['includeCitations', 'yes', 'must be true or false'],
    ['includeCitations', null, 'must be true or false'],
    ['stream', 'yes', 'must be true or false'],
    ['tag', 7, 'must be a string'],
    [
      'tag',
      ' a',
      'must be 1 to 64 letters, marks, numbers, punctuation, symbols, spaces and joiners, with no space or joiner at either end',
    ],
  ])('are refused by their name on the wire: %s %j', (field, value, message, at = field) => {
    const path = at === 'includeCitations' ? 'include_citations' : at;
    expect(issues({ [field]: value })).toEqual(['invalid_field', path, { issues: [{ path, message }] }]);
  });

  it.each([
    ['messages', 'When?', 'must be an array of messages'],
    ['messages', Array.from({ length: 33 }, () => 7), 'must have at most 32 messages'],
    ['messages', [], OUT_OF_TURN],
    ['messages', [user('a'), said('b')], OUT_OF_TURN],
    ['messages', [user('a'), user('b'), user('c')], OUT_OF_TURN],
    ['messages', [said('a')], OUT_OF_TURN],
    ['messages', [user('a'.repeat(5)), said('b'), user(' ccccc ')], 'must have at most 10 characters'],
    ['messages.0', [7], 'must be an object with role and content'],
    ['messages.0.role', [{ role: 'system', content: 'a' }], 'must be "user" or "assistant"'],
    ['messages.0.content', [{ role: 'user' }], 'is required: a string'],
    ['messages.0.content', [user(' ')], 'must not be empty'],
    ['messages.0.content', [user('\ufeff\u2800')], 'must not be empty'],
    ['messages.0.content', [user('a\0')], 'must have no NUL character and no half of a surrogate pair'],
  ])('are refused where a message is wrong: %s %j', (path, messages, message) => {
    const found = issues({ query: undefined, messages });
    expect(found).toEqual(['invalid_field', path, { issues: [{ path, message }] }]);
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
