import { ANSWERED, ask, type HttpCase, invalid, refused } from '../http-case.js';

const MODEL = 'a string such as "exa/answer"';

function wrong(field: string, value: unknown, message: string): HttpCase {
  return {
    name: `refuses ${field}: ${value === undefined ? 'absent' : JSON.stringify(value).slice(0, 30)}`,
    request: ask({ [field]: value }),
    expect: refused(400, invalid('invalid_field', { param: field, metadata: { issues: [{ path: field, message }] } })),
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
  unsupported('provider', { order: ['stub'] }),
  unsupported('models', ['stub/flat']),
  unsupported('messages', [{ role: 'user', content: 'When did it open?' }]),
  unsupported('search', { freshness: 'week' }),
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
