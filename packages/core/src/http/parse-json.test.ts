import { describe, expect, it } from 'vitest';
import { parseJsonObject } from './parse-json.js';

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
});
