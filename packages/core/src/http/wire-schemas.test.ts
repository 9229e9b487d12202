import { describe, expect, it } from 'vitest';
import { answerFieldsParser, parseModelsQuery } from './wire-schemas.js';

const parse = answerFieldsParser(20);
const good = { model: 'exa/answer', query: 'Who?' };

const RESERVED = ['cache', 'models', 'provider', 'metadata'];

function refusal(body: Record<string, unknown>): unknown {
  try {
    parse(body);
  } catch (error) {
    return error;
  }
  throw new Error('the body was accepted');
}

describe('answerFieldsParser', () => {
  it('wants citations by default', () => {
    expect(parse(good)).toEqual({ ...good, includeCitations: true, stream: false });
    expect(parse({ ...good, include_citations: false })).toEqual({ ...good, includeCitations: false, stream: false });
  });

  it('passes the query on as it was sent, and judges its length after trimming', () => {
    expect(parse({ ...good, query: '  Who?\n' }).query).toBe('  Who?\n');
    expect(parse({ ...good, query: ` ${'x'.repeat(20)} ` }).query).toHaveLength(22);
    expect(refusal({ ...good, query: 'x'.repeat(21) })).toMatchObject({
      reason: 'invalid_field',
      param: 'query',
      details: { issues: [{ path: 'query', message: 'must have at most 20 characters' }] },
    });
  });

  it('counts a character of a query once, whatever its length in UTF-16', () => {
    expect(parse({ ...good, query: '😀'.repeat(20) }).query).toBe('😀'.repeat(20));
    expect(refusal({ ...good, query: '😀'.repeat(21) })).toMatchObject({ param: 'query' });
    expect(refusal({ ...good, query: '😀'.repeat(10) + 'x'.repeat(11) })).toMatchObject({ param: 'query' });
  });

  it('ignores fields that affect how a model writes', () => {
    expect(parse({ ...good, temperature: 0, user: { id: 1 } })).toEqual({
      ...good,
      includeCitations: true,
      stream: false,
    });
  });

  it.each([
    ['model', undefined, 'is required: a string such as "exa/answer"'],
    ['model', 1, 'must be a string such as "exa/answer"'],
    ['model', null, 'must be a string such as "exa/answer"'],
    ['model', '', 'must not be empty'],
    ['model', 'x'.repeat(257), 'must have at most 256 characters'],
    ['query', undefined, 'is required: a string'],
    ['query', ['Who?'], 'must be a string'],
    ['query', ' \n\t', 'must not be empty'],
    ['include_citations', 'true', 'must be true or false'],
    ['include_citations', 1, 'must be true or false'],
    ['include_citations', null, 'must be true or false'],
  ])('refuses %s: %j', (field, value, message) => {
    expect(refusal({ ...good, [field]: value })).toMatchObject({
      reason: 'invalid_field',
      param: field,
      details: { issues: [{ path: field, message }] },
    });
  });

  it('names every wrong field, the first as param', () => {
    expect(refusal({ include_citations: 'no' })).toMatchObject({
      param: 'model',
      details: { issues: [{ path: 'model' }, { path: 'query' }, { path: 'include_citations' }] },
    });
  });

  describe.each(RESERVED)('the reserved field %s', (field) => {
    it.each([true, 0, 1, '', 'auto', {}, { freshness: 'week' }, [], ['exa/answer']])('is refused as %j', (value) => {
      expect(refusal({ ...good, [field]: value })).toMatchObject({ reason: 'unsupported_field', param: field });
    });

    it('is refused even with other mistakes in the request', () => {
      expect(refusal({ model: 1, [field]: 'x' })).toMatchObject({ reason: 'unsupported_field', param: field });
    });

    it('may be null, which is no value', () => {
      expect(parse({ ...good, [field]: null })).toEqual({ ...good, includeCitations: true, stream: false });
    });

    it('is not read from a prototype', () => {
      const body = Object.assign(Object.create({ [field]: 'x' }) as Record<string, unknown>, good);
      expect(parse(body)).toMatchObject(good);
    });
  });

  it.each(RESERVED)('refuses %s as false, which may ask for something', (field) => {
    expect(refusal({ ...good, [field]: false })).toMatchObject({ reason: 'unsupported_field', param: field });
  });

  it.each([
    [true, true],
    [false, false],
    [null, false],
  ])('takes "stream": %j', (stream, wanted) => {
    expect(parse({ ...good, stream })).toEqual({ ...good, includeCitations: true, stream: wanted });
  });

  it.each([0, 1, 'true', '', {}, []])('refuses "stream": %j', (stream) => {
    expect(refusal({ ...good, stream })).toMatchObject({
      reason: 'invalid_field',
      param: 'stream',
      details: { issues: [{ path: 'stream', message: 'must be true or false' }] },
    });
  });

  it('takes routing preferences by their names on the wire', () => {
    const routing = { fallbacks: ['fast'], sort: 'latency', max_cost: '0.01' };
    expect(parse({ ...good, routing }).routing).toEqual({ fallbacks: ['fast'], sort: 'latency', maxCost: '0.01' });
    expect(parse({ ...good, routing: {} }).routing).toBeUndefined();
    expect(refusal({ ...good, search: { foo: 1 }, routing: { maxCost: '1' } })).toMatchObject({
      reason: 'invalid_field',
      details: { issues: [{ path: 'search.foo' }, { path: 'routing.maxCost' }] },
    });
  });

  it('reads no field from a prototype', () => {
    const body: unknown = JSON.parse('{"__proto__":{"query":"polluted"},"model":"exa/answer"}');
    expect(refusal(body as Record<string, unknown>)).toMatchObject({ param: '__proto__' });
    expect(refusal(Object.create({ ...good, stream: true }) as Record<string, unknown>)).toMatchObject({
      reason: 'invalid_field',
      details: { issues: [{ path: 'model' }, { path: 'query' }] },
    });
  });
});

describe('parseModelsQuery', () => {
  it('accepts five categories, and no category', () => {
    for (const category of ['search', 'embedding', 'rerank', 'extract', 'answer']) {
      expect(parseModelsQuery(`category=${category}`)).toEqual({ category });
    }
    expect(parseModelsQuery('')).toEqual({});
    expect(parseModelsQuery('user=ada&_=1')).toEqual({});
    expect(parseModelsQuery('user=ada&category=%61nswer')).toEqual({ category: 'answer' });
    expect(parseModelsQuery('category=search&callable=false')).toEqual({ category: 'search', callable: false });
  });

  it.each([
    'category=',
    'category=chat',
    'category=Answer',
    'category=answer&category=answer',
    'category=answer,search',
  ])('refuses %s', (query) => {
    expect(() => parseModelsQuery(query)).toThrow(
      expect.objectContaining({
        reason: 'invalid_parameter',
        param: 'category',
        details: { allowed: ['search', 'embedding', 'rerank', 'extract', 'answer'] },
      }),
    );
  });
});
