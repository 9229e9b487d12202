import type { JsonObject } from '@searchgate/core/extensions';
import { expect, it } from 'vitest';
import { createTools } from './tools.js';

/** What function declarations of the Gemini API take (Schema, copies read 2026-11-29): one other keyword, and the whole request is refused. */
const KEYWORDS = `type title description nullable enum format items minItems maxItems properties required minProperties
  maxProperties minLength maxLength minimum maximum pattern anyOf default example`.split(/\s+/);
const FORMATS = ['string enum', 'string date-time', 'number float', 'number double', 'integer int32', 'integer int64'];

/** The parts of a schema that Gemini refuses. */
function faultsOf(schema: JsonObject): string[] {
  const { type, format, items, anyOf = [], properties = {}, required = [], enum: values = [] } = schema;
  const faults = Object.keys(schema).filter((keyword) => !KEYWORDS.includes(keyword));
  if (typeof type !== 'string' && !('anyOf' in schema)) faults.push('type');
  if (format !== undefined && !FORMATS.includes([type, format].join(' '))) faults.push('format');
  if (!(values as unknown[]).every((value) => type === 'string' && typeof value === 'string')) faults.push('enum');
  if ((type === 'array') !== (items !== undefined)) faults.push('items');
  if (('properties' in schema || 'required' in schema) && type !== 'object') faults.push('properties');
  if (!(required as string[]).every((name) => name in (properties as object))) faults.push('required');
  const parts = [
    ...Object.values(properties as object),
    ...(anyOf as object[]),
    ...(items === undefined ? [] : [items]),
  ];
  return [...faults, ...parts.flatMap((part) => faultsOf(part as JsonObject))];
}

it('Gemini takes the schemas of all tools', () => {
  const tools = [{}, { defaultModel: 'a/b', search: 'a/b', fetch: 'a/b' }].flatMap((models) => [
    ...createTools(models).values(),
  ]);
  expect(tools).toHaveLength(6);
  for (const { tool } of tools)
    expect([tool.name, faultsOf(tool.inputSchema), faultsOf(tool.outputSchema)]).toEqual([tool.name, [], []]);
});

it.each([
  [{ type: 'string', format: 'date' }, 'format'],
  [{ type: ['string', 'null'] }, 'type'],
  [{ type: 'integer', enum: [1] }, 'enum'],
  [{ type: 'object', additionalProperties: false }, 'additionalProperties'],
  [{ const: 'a', type: 'string' }, 'const'],
])('Gemini refuses %j', (schema, fault) => {
  expect(faultsOf({ type: 'object', properties: { a: schema } })).toEqual([fault]);
});
