import { ANSWERED, ask, type HttpCase, invalid, refused } from '../http-case.js';

const MODEL = 'a string such as "exa/answer"';

function wrong(field: string, value: unknown, message: string): HttpCase {
  return {
    name: `refuses ${field}: ${value === undefined ? 'absent' : JSON.stringify(value).slice(0, 30)}`,
    request: ask({ [field]: value }),
    expect: refused(400, invalid('invalid_field', { param: field, metadata: { issues: [{ path: field, message }] } })),
  };
}

function wrongOption(option: string, value: unknown, message: string): HttpCase {
  const path = `search.${option}`;
  return {
    name: `refuses ${path}: ${JSON.stringify(value)}`,
    request: ask({ search: { [option]: value } }),
    expect: refused(400, invalid('invalid_field', { param: path, metadata: { issues: [{ path, message }] } })),
  };
}

function unsupported(field: string, value: unknown): HttpCase {
  return {
    name: `refuses ${field}: ${JSON.stringify(value)}, which is reserved`,
    request: ask({ [field]: value }),
    expect: refused(400, invalid('unsupported_field', { param: field })),
  };
}

/** The fields of `POST /answer`. */
export const FIELD_CASES: readonly HttpCase[] = [
  wrong('model', undefined, `is required: ${MODEL}`),
  wrong('model', null, `must be ${MODEL}`),
  wrong('model', ['stub/flat'], `must be ${MODEL}`),
  wrong('model', '', 'must not be empty'),
  wrong('query', undefined, 'is required: a string'),
  wrong('query', 7, 'must be a string'),
  wrong('query', '', 'must not be empty'),
  wrong('query', ' \n\t\u00a0', 'must not be empty'),
  wrong('query', 'x'.repeat(8_001), 'must have at most 8000 characters'),
  wrong('include_citations', 'true', 'must be true or false'),
  wrong('include_citations', 1, 'must be true or false'),
  wrong('include_citations', null, 'must be true or false'),
  wrong('stream', 'yes', 'must be true or false'),
  wrong('stream', 1, 'must be true or false'),
  {
    name: 'names every wrong field at once',
    request: ask({ model: 1, query: 2, include_citations: 3 }),
    expect: refused(
      400,
      invalid('invalid_field', {
        param: 'model',
        metadata: {
          issues: [
            { path: 'model', message: `must be ${MODEL}` },
            { path: 'query', message: 'must be a string' },
            { path: 'include_citations', message: 'must be true or false' },
          ],
        },
      }),
    ),
  },
  wrong('search', 'recent', 'must be an object of search options'),
  wrongOption('pages', 3, 'is no search option'),
  wrongOption('freshness', 'hour', 'must be one of "day", "week", "month" and "year"'),
  {
    name: 'refuses a search option that the model cannot honor, and names none that can where there is none',
    request: ask({ search: { freshness: 'week', country: 'de' } }),
    expect: refused(
      400,
      invalid('unsupported_option', {
        param: 'search.freshness',
        metadata: { options: ['freshness', 'country'], models: [] },
      }),
    ),
  },
  { name: 'takes search options that ask for nothing', request: ask({ search: {} }), expect: ANSWERED },
  unsupported('provider', { order: ['stub'] }),
  unsupported('models', ['stub/flat']),
  unsupported('messages', [{ role: 'user', content: 'When did it open?' }]),
  unsupported('routing', {}),
  unsupported('cache', false),
  unsupported('tag', ''),
  unsupported('instructions', 'Be brief.'),
  unsupported('response_format', { type: 'json_object' }),
  unsupported('metadata', {}),
  {
    name: 'lets reserved fields pass that ask for nothing',
    request: ask({ stream: false, provider: null, models: null, messages: null, search: null, cache: null }),
    expect: ANSWERED,
  },
  { name: 'gives the answer whole where stream is null', request: ask({ stream: null }), expect: ANSWERED },
  { name: 'ignores fields it does not know', request: ask({ temperature: 0.2, user: { id: 7 } }), expect: ANSWERED },
  {
    name: 'takes the longest query, counted without the space around it',
    request: ask({ query: `\n ${'x'.repeat(8_000)} ` }),
    expect: ANSWERED,
  },
];
