import { describe, expect, it } from 'vitest';
import { unknownFields } from './unknown-fields.js';

const DOCUMENT = {
  components: {
    schemas: {
      Base: { properties: { query: { type: 'string' } } },
      Search: { allOf: [{ properties: { type: { enum: ['search'] } } }, { properties: { size: { type: 'string' } } }] },
      Code: { properties: { type: { const: 'code' }, container: {} } },
      Node: { properties: { child: { $ref: '#/components/schemas/Node' } } },
      Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
    },
  },
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const REQUEST = {
  allOf: [
    ref('Base'),
    {
      properties: {
        tools: { type: 'array', items: { oneOf: [ref('Search'), ref('Code')] } },
        metadata: { additionalProperties: { type: 'string' } },
        place: { anyOf: [{ properties: { city: {} } }, { type: 'null' }] },
        free: { type: 'object' },
        root: ref('Node'),
      },
      additionalProperties: true,
    },
  ],
};

describe('unknownFields', () => {
  it.each([
    [
      {
        query: 'a',
        tools: [
          { type: 'search', size: 'low' },
          { type: 'code', container: 'x' },
        ],
      },
    ],
    [{ metadata: { anything: 'goes' }, free: { anything: { goes: 1 } }, place: { city: 'Berlin' } }],
    [{ root: { child: { child: {} } }, query: null }],
  ])('finds no unknown field in %j', (value) => {
    expect(unknownFields(DOCUMENT, REQUEST, value)).toEqual([]);
  });

  it.each([
    [{ querry: 'a' }, ['querry']],
    [
      {
        tools: [
          { type: 'search', container: 'x' },
          { type: 'code', size: 'low' },
        ],
      },
      ['tools.0.container', 'tools.1.size'],
    ],
    [{ tools: [{ type: 'other', size: 'low', container: 'x', more: 1 }] }, ['tools.0.more']],
    [{ place: { town: 'Berlin' } }, ['place.town']],
    [{ root: { child: { kid: {} } } }, ['root.child.kid']],
  ])('finds the unknown fields of %j', (value, unknown) => {
    expect(unknownFields(DOCUMENT, REQUEST, value)).toEqual(unknown);
  });

  it('ends on schemas that refer to themselves', () => {
    expect(unknownFields(DOCUMENT, ref('Loop'), { a: 1 })).toEqual([]);
  });

  it('finds nothing without a schema', () => {
    expect(unknownFields(DOCUMENT, undefined, { a: 1 })).toEqual([]);
  });
});
