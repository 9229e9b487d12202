import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatewayRequest } from './gateway-request.js';
import { checkBodyHeaders, FLAT_BODY, NESTED_BODY, parseJsonObject as parseWithin } from './read-request-body.js';

const check = (headers: Record<string, string>) => () => {
  checkBodyHeaders({ header: (name) => headers[name] } as GatewayRequest, 100);
};
const refused = expect.objectContaining({ reason: 'unsupported_media_type' });

describe('checkBodyHeaders', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json; charset="utf-8"; profile=x',
    'application/vnd.api+json',
    'application/problem+json; charset=utf-8',
  ])('accepts %s', (contentType) => {
    expect(check({ 'content-type': contentType })).not.toThrow();
  });

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    '+json',
  ])('refuses "%s"', (contentType) => {
    expect(check({ 'content-type': contentType })).toThrow(refused);
  });

  it('refuses a body without a content type', () => {
    expect(check({})).toThrow(refused);
  });

  it('accepts no content encoding but identity', () => {
    const json = { 'content-type': 'application/json' };
    expect(check({ ...json, 'content-encoding': 'Identity' })).not.toThrow();
    expect(check({ ...json, 'content-encoding': 'gzip' })).toThrow(refused);
    expect(check({ ...json, 'content-encoding': 'identity, gzip' })).toThrow(refused);
  });

  it('refuses a body by its `content-length`, and reports the limit', () => {
    const json = { 'content-type': 'application/json' };
    expect(check({ ...json, 'content-length': '100' })).not.toThrow();
    expect(check({ ...json, 'content-length': '101' })).toThrow(
      expect.objectContaining({ reason: 'request_too_large', details: { maxBodyBytes: 100 } }),
    );
  });
});

const parseJsonObject = (body: Parameters<typeof parseWithin>[0]) => parseWithin(body, FLAT_BODY);
const parse = (text: string | Buffer) => parseJsonObject({ bytes: Buffer.from(text) });
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const malformed = expect.objectContaining({ reason: 'malformed_json' });

describe('parseJsonObject', () => {
  it('parses an object', () => {
    expect(parse('{"query":"Zéphyr ✈"}')).toEqual({ query: 'Zéphyr ✈' });
  });

  it('ignores a byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  it('reads only its own part of a shared buffer', () => {
    const shared = Buffer.from('xx{"a":1}yy');
    expect(parseJsonObject({ bytes: new Uint8Array(shared.buffer, shared.byteOffset + 2, 7) })).toEqual({ a: 1 });
  });

  it.each(['', ' ', 'x', '{', '{"a":1}}', "{'a':1}", '{"a":NaN}', '[]', '[{}]', '"text"', '1', 'true', 'null'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(malformed);
    },
  );

  it('refuses bytes that are not UTF-8 instead of repairing them', () => {
    expect(() => parse(Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')]))).toThrow(malformed);
    expect(() => parse(Buffer.from('{"a":"é"}', 'latin1'))).toThrow(malformed);
  });

  it('refuses more than 32 levels, in objects and arrays alike', () => {
    expect(parse(nested(32))).toBeTypeOf('object');
    expect(() => parse(nested(33))).toThrow(malformed);
    expect(() => parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)).toThrow(malformed);
    expect(() => parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)).toThrow(malformed);
  });

  it('applies the same rules to a body that the host has parsed', () => {
    expect(parseJsonObject({ parsed: { a: 1 } })).toEqual({ a: 1 });
    expect(() => parseJsonObject({ parsed: [1] })).toThrow(malformed);
    expect(() => parseJsonObject({ parsed: 'text' })).toThrow(malformed);
    expect(() => parseJsonObject({ parsed: null })).toThrow(malformed);
    expect(() => parseJsonObject({ parsed: JSON.parse(nested(33)) as unknown })).toThrow(malformed);
  });

  it('refuses a body that has parsed to a value within itself', () => {
    const round: { a: unknown } = { a: null };
    round.a = [round, round];
    expect(() => parseJsonObject({ parsed: round })).toThrow(malformed);
  });
});

const times = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join();
const listOf = (count: number, element: string) => `{"a":[${times(count, () => element)}]}`;
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const keysOf = (count: number) => `{${times(count, (at) => `"k${at}":0`)}}`;

/** The largest bodies, and what their refusal says. */
const BODIES: readonly (readonly [name: string, within: string, beyond: string, note: string])[] = [
  ['numbers', listOf(19_999, '1'), listOf(20_000, '1'), 'It has more than 20,000 values.'],
  ['empty lists', listOf(9_999, '[]'), listOf(200_000, '[]'), 'It has more than 20,000 values.'],
  ['deep lists', listOf(10, deep(30)), listOf(1, deep(31)), 'It is nested more than 32 levels deep.'],
  ['keys', keysOf(2_000), keysOf(2_001), 'It has more than 2,000 keys.'],
  ['keys of many objects', listOf(2_000 - 1, '{"k":0}'), listOf(2_000, '{"k":0}'), 'It has more than 2,000 keys.'],
];

describe('what a body may have', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(BODIES)('ends a body with too many %s, which is not parsed', (_what, within, beyond, note) => {
    const parsed = [JSON.parse(within), JSON.parse(beyond)] as unknown[];
    const refusal = expect.objectContaining({ reason: 'malformed_json', note }) as Error;
    expect(parse(within)).toEqual(parsed[0]);
    expect(parseJsonObject({ parsed: parsed[0] })).toBe(parsed[0]);
    expect(() => parseJsonObject({ parsed: parsed[1] })).toThrow(refusal);
    const parser = vi.spyOn(JSON, 'parse');
    expect(() => parse(beyond)).toThrow(refusal);
    expect(parser).not.toHaveBeenCalled();
  });

  it('is more where documents or messages are objects', () => {
    expect(Object.keys(parseWithin({ bytes: Buffer.from(keysOf(10_000)) }, NESTED_BODY))).toHaveLength(10_000);
    expect(() => parseWithin({ bytes: Buffer.from(keysOf(10_001)) }, NESTED_BODY)).toThrow(malformed);
  });
});
