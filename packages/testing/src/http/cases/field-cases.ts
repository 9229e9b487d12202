import { ANSWERED, ask, badRequest, type HttpCase, refused, row } from '../http-case.js';
import { CONVERSATION } from './conversation.js';

const TAG =
  'must be 1 to 64 letters, marks, numbers, punctuation, symbols, spaces and joiners, with no space or joiner at either end';
const MODEL = 'a string such as "exa/answer"';

function wrong(field: string, value: unknown, message: string): HttpCase {
  return {
    name: `refuses ${field}: ${value === undefined ? 'absent' : JSON.stringify(value).slice(0, 30)}`,
    request: ask({ [field]: value }),
    expect: badRequest('invalid_field', { param: field, metadata: { issues: [{ path: field, message }] } }),
  };
}

function wrongOption(path: string, value: unknown, message: string): HttpCase {
  const [field = '', option = ''] = path.split('.');
  return {
    name: `refuses ${path}: ${JSON.stringify(value)}`,
    request: ask({ [field]: { [option]: value } }),
    expect: badRequest('invalid_field', { param: path, metadata: { issues: [{ path, message }] } }),
  };
}

const FIELDS =
  'model, query, messages, response_format, instructions, max_output_tokens, include_citations, search, routing, tag, stream';

/** The advice on a field that means none of `POST /answer`. */
export const leaveOut = (field: string) => `Leave out ${field}. The fields are ${FIELDS}.`;

function refuses(field: string, value: unknown, note = leaveOut(field)): HttpCase {
  return {
    name: `refuses ${field}: ${JSON.stringify(value)}, which is no field here`,
    request: ask({ [field]: value }),
    expect: badRequest('unsupported_field', { param: field, note }),
  };
}

function unsupported(field: string, value: unknown, replacement?: string): HttpCase {
  return refuses(field, value, replacement && `In place of ${field}, use ${replacement}.`);
}

function typo(field: string, value: unknown, meant: string): HttpCase {
  return refuses(field, value, `${field} is no field: did you mean "${meant}"?`);
}

/** The fields of `POST /answer`. */
export const FIELD_CASES: readonly HttpCase[] = [
  wrong('model', undefined, `is required: ${MODEL}`),
  wrong('query', ' \n\t\u00a0', 'must not be empty'),
  wrong('query', 'x'.repeat(8_001), 'must have at most 8000 characters'),
  wrong('include_citations', null, 'must be true or false'),
  wrong('stream', 'yes', 'must be true or false'),
  {
    name: 'names every wrong field at once',
    request: ask({ model: 1, query: 2, include_citations: 3 }),
    expect: badRequest('invalid_field', {
      param: 'model',
      metadata: {
        issues: [
          { path: 'model', message: `must be ${MODEL}` },
          { path: 'query', message: 'must be a string' },
          { path: 'include_citations', message: 'must be true or false' },
        ],
      },
    }),
  },
  wrong('search', 'recent', 'must be an object of search options'),
  wrongOption('search.pages', 3, 'is no search option'),
  wrongOption('search.freshness', 'hour', 'must be one of "day", "week", "month" and "year"'),
  {
    name: 'refuses a search option that the model cannot honor, and names none that can where there is none',
    request: ask({ search: { freshness: 'week', country: 'de' } }),
    expect: badRequest('unsupported_option', {
      param: 'search.freshness',
      metadata: { options: ['freshness', 'country'], models: [] },
    }),
  },
  { name: 'takes search options that ask for nothing', request: ask({ search: {} }), expect: ANSWERED },
  wrong('tag', ' padded', TAG),
  wrong('routing', 'cheapest', 'must be an object of routing preferences'),
  wrongOption('routing.order', ['stub'], 'is no routing preference'),
  wrongOption('routing.sort', 'listed', 'must be "price" or "latency"'),
  wrongOption('routing.max_cost', 0.01, 'must be a decimal string of US dollars such as "0.01", zero or more'),
  {
    name: 'refuses a fallback that is no model',
    request: ask({ routing: { fallbacks: ['nowhere/to-be-found'] } }),
    expect: refused(404, {
      type: 'not_found_error',
      reason: 'model_not_found',
      param: 'routing.fallbacks',
      metadata: { suggestions: [] },
    }),
  },
  {
    name: 'refuses a question for which more would be held than its max_cost',
    request: ask({ routing: { max_cost: '0.0049', fallbacks: [] } }),
    expect: badRequest('max_cost_exceeded', {
      param: 'routing.max_cost',
      metadata: { max_cost: 0.0049, cheapest: { model: 'stub/flat', required: 0.005 } },
    }),
  },
  {
    name: 'refuses a question whose required policy no provider has',
    request: ask({ routing: { require: ['zdr'] } }),
    expect: badRequest('policy_not_met', { param: 'routing.require', metadata: { require: ['zdr'], models: [] } }),
  },
  {
    name: 'takes routing preferences that the model meets',
    request: ask({ routing: { sort: 'price', max_cost: '0.005' } }),
    expect: ANSWERED,
  },
  unsupported('provider', { order: ['stub'] }, 'routing.fallbacks'),
  row('takes one message for a query', ask({ query: undefined, messages: CONVERSATION.slice(2) }), ANSWERED),
  {
    name: 'names the models that take earlier messages, where the model does not',
    request: ask({ query: undefined, messages: CONVERSATION }),
    expect: badRequest('unsupported_option', {
      param: 'messages',
      metadata: { options: ['messages'], models: ['stub/streamed'] },
    }),
  },
  unsupported('cache', false, 'the header Cache-Control'),
  unsupported('webhook_url', 'https://example.org/done'),
  unsupported('', 'anything'),
  {
    name: 'names the models that take instructions and a limit of the output, where the model does not',
    request: ask({ instructions: 'Be brief.', max_output_tokens: 9 }),
    expect: badRequest('unsupported_option', {
      param: 'instructions',
      metadata: { options: ['instructions', 'max_output_tokens'], models: ['stub/streamed'] },
    }),
  },
  wrong('instructions', ' ', 'must not be empty'),
  wrong('max_output_tokens', 0, 'must be at least 1'),
  wrong('response_format', 'json', 'must be of type "text" or "json_schema"'),
  typo('serach', { freshness: 'day' }, 'search'),
  wrongOption('search.freshnes', 'day', 'is no search option: did you mean "freshness"?'),
  wrongOption('search.max_cost', '0.01', 'is no search option: use routing.max_cost'),
  wrongOption('routing.include_domains', ['example.org'], 'is no routing preference: use search.include_domains'),
  {
    name: 'counts the characters of a tag, and takes joined ones',
    request: ask({ tag: '\u{1F469}\u200d\u{1F680}'.repeat(21) + 'x' }),
    expect: ANSWERED,
  },
  {
    name: 'lets reserved fields pass that ask for nothing',
    request: ask({ stream: false, provider: null, models: null, messages: null, search: null, cache: null }),
    expect: ANSWERED,
  },
  {
    name: 'takes the longest query, not counting surrounding space',
    request: ask({ query: `\n ${'x'.repeat(7_999)}😀 ` }),
    expect: ANSWERED,
  },
];
