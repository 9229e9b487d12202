import type { JsonObject } from '@searchgate/core/extensions';
import { describe, expect, it } from 'vitest';
import { createTools } from './tools.js';

/** What Gemini's function declarations take (Schema of the Gemini API, read 2026-11-29): one other keyword, and the whole request is refused. */
const KEYWORDS = new Set(
  `type title description nullable enum format items minItems maxItems properties required minProperties maxProperties
    minLength maxLength minimum maximum pattern anyOf default example`.split(/\s+/),
);
const FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

/** The parts of a schema that Gemini refuses. */
function faultsOf(schema: JsonObject, path: string): string[] {
  const { type, format, enum: values = [], items, properties = {}, required = [], anyOf = [] } = schema;
  const faults = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  if (typeof type !== 'string' && !('anyOf' in schema)) faults.push('type');
  if (format !== undefined && !FORMATS[String(type)]?.includes(format)) faults.push('format');
  if (!(values as unknown[]).every((value) => type === 'string' && typeof value === 'string' && value !== ''))
    faults.push('enum');
  if ((type === 'array') !== (items !== undefined)) faults.push('items');
  if (('properties' in schema || 'required' in schema) && type !== 'object') faults.push('properties');
  if (!(required as string[]).every((name) => name in (properties as object))) faults.push('required');
  const parts = [
    ...Object.entries(properties as Record<string, JsonObject>),
    ...Object.entries(anyOf as JsonObject[]),
    ...(items === undefined ? [] : [['items', items as JsonObject] as const]),
  ];
  const inside = parts.flatMap(([name, part]) => faultsOf(part, `${path}.${name}`));
  return [...faults.map((fault) => `${path}: ${fault}`), ...inside];
}

describe('the schemas of tools', () => {
  it.each([{}, { defaultModel: 'a/b', search: 'a/b', fetch: 'a/b' }])(
    'with %j are those that Gemini takes',
    (models) => {
      const tools = [...createTools(models).values()];
      expect(tools.length).toBeGreaterThan(1);
      for (const { tool } of tools) {
        expect(faultsOf(tool.inputSchema, `${tool.name} in`)).toEqual([]);
        expect(faultsOf(tool.outputSchema, `${tool.name} out`)).toEqual([]);
      }
    },
  );

  it.each([
    { type: 'string', format: 'date' },
    { type: ['string', 'null'] },
    { type: 'integer', enum: [1] },
    { type: 'object', additionalProperties: false },
    { type: 'array' },
    { const: 'a' },
  ])('are not of the form %j', (schema) => {
    expect(faultsOf({ type: 'object', properties: { a: schema } }, 'in')).not.toEqual([]);
  });
});
