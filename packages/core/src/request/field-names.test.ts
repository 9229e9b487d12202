import { describe, expect, it } from 'vitest';
import { wireName } from '../http/wire-name.js';
import answer from '../kinds/foreign-names/answer.json' with { type: 'json' };
import everyKind from '../kinds/foreign-names/every-kind.json' with { type: 'json' };
import type { ForeignNames } from '../kinds/kind.js';
import { KIND_LIST } from '../kinds/kinds.js';
import { answerFieldsSchema, questionNames } from './answer-fields.js';

const names = questionNames(wireName);

/** @param given the fields of a question besides its own. */
function refusal(given: object): unknown {
  try {
    names.refuseUnknown(given);
  } catch (error) {
    return error;
  }
  return null;
}

const refused = (param: string, advice: string) => ({
  reason: 'unsupported_field',
  param,
  message: expect.stringContaining(advice) as string,
});

describe('an unknown field', () => {
  it.each([
    ['include_domains', 'search.include_domains'],
    ['INCLUDE-DOMAINS', 'search.include_domains'],
    ['maxCost', 'routing.max_cost'],
    ['Model', 'model'],
    ['includeCitations', 'include_citations'],
    ['search_domain_filter', 'search.include_domains'],
    ['startPublishedDate', 'search.published_after'],
    ['web_search_options', 'search'],
    ['policy', 'routing.require'],
    ['metadata', 'tag'],
    ['models', 'routing.fallbacks'],
    ['system-prompt', 'instructions'],
    ['output_schema', 'response_format'],
    ['max_tokens', 'max_output_tokens'],
    ['idempotency_key', 'the header Idempotency-Key'],
    ['idempotencyKey', 'the header Idempotency-Key'],
    ['api_key', 'the header Authorization'],
    ['no_cache', 'the header Cache-Control'],
  ])('with an equivalent is refused with its name: %s', (name, replacement) => {
    expect(refusal({ [name]: 'x' })).toMatchObject(refused(name, `In place of ${name}, use ${replacement}.`));
  });

  it.each([
    ['serach', 'search'],
    ['include-citation', 'include_citations'],
    ['include_domain', 'search.include_domains'],
    ['freshnes', 'search.freshness'],
    ['max_costs', 'routing.max_cost'],
    ['idempotency_kye', 'the header Idempotency-Key'],
  ])('that is misspelled is refused with the field that was meant: %s', (name, meant) => {
    expect(refusal({ [name]: 'x' })).toMatchObject(refused(name, `${name} is no field: did you mean "${meant}"?`));
  });

  it.each(['tools[]', 'webhook_url', 'mode', 'stream', 'signal', 'constructor', ''])(
    'without an equivalent is refused with the names of all fields: %j',
    (name) => {
      const advice = `Leave out ${name}. The fields are model, query, messages, response_format, instructions, max_output_tokens, include_citations, search,`;
      expect(refusal({ [name]: 'x' })).toMatchObject(refused(name, advice));
    },
  );

  it('is refused after many that ask for nothing', () => {
    const nothing = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`other_${at}`, null]));
    expect(refusal({ ...nothing, query: 'When?', other: 1 })).toMatchObject(refused('other', 'Leave out other.'));
  });

  it('is named in an error as far as it can be shown', () => {
    expect(refusal({ [`${'x'.repeat(63)}😀`]: 1 })).toMatchObject({ param: `${'x'.repeat(63)}\ufffd` });
    expect(refusal({ ['x'.repeat(1_000_000)]: 1 })).toMatchObject({ param: 'x'.repeat(64) });
  });

  it.each(['serach', 'max_tokens', 'include_domains', '__proto__'])('has no effect without a value: %s', (name) => {
    expect(refusal(Object.fromEntries([[name, null]]))).toBeNull();
    expect(refusal(Object.fromEntries([[name, undefined]]))).toBeNull();
  });

  it('has no effect where it only affects how a model writes, or is the caller’s own', () => {
    const taken = [...everyKind.ignored, 'topP', 'Frequency-Penalty', 'x_trace', 'x_'];
    expect(refusal(Object.fromEntries(taken.map((name) => [name, 'x'])))).toBeNull();
    expect(refusal({ X_trace: 1 })).toMatchObject({ param: 'X_trace' });
  });

  it.each(Object.entries({ ...everyKind.ignoredValues, citations: [] }))(
    '%s has no effect with a value that asks for nothing, and is refused with another',
    (name, values) => {
      const own = ['response_format', 'include_citations'].includes(name);
      for (const value of values) expect(refusal({ [name]: value })).toBeNull();
      for (const value of own ? [] : ['x', true, 2, [], {}])
        expect(refusal({ [name]: value })).toMatchObject({ param: name });
    },
  );
});

const TABLES: readonly { readonly kind: string; readonly table: ForeignNames; readonly shape: object }[] = [
  { kind: 'answer', table: answer, shape: answerFieldsSchema(1).shape },
  ...KIND_LIST.map(([kind, { request }]) => ({ kind, table: request.foreignNames, shape: request.fields(1).shape })),
];

describe.each(TABLES)('the table of other names of $kind', ({ table, shape }) => {
  const fields = [...Object.keys(shape), 'search', 'routing'];
  const { replacements, ignored = [], refused: others = [] } = table;

  it('names only fields of its own as replacements', () => {
    expect(Object.keys(replacements).filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('has each name once, and no name of a field', () => {
    const listed = [...Object.values(replacements).flat(), ...ignored, ...others];
    expect(listed.filter((name) => fields.map(wireName).includes(name))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});
