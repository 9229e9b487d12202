import { z } from 'zod';
import type { JsonSchema } from '../../base/options/read-request-options.js';

/** A reference to a named part of the document. */
export function refTo(kind: 'schemas' | 'headers' | 'parameters', name: string): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

/** An object with exactly these fields, all of them required. */
export function closedObject(properties: Readonly<Record<string, unknown>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Makes JSON Schemas of the bodies that the gateway sends. A given schema inside another schema becomes a reference to its name. */
export function jsonSchemas(schemas: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  // Not zod's global registry, where the names could collide with the host's names.
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { ...COMMON, io: 'output', uri: (id) => refTo('schemas', id).$ref });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [id, schema]),
  );
}

/** Makes the JSON Schema of a body that the gateway accepts. */
export function inputSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { ...COMMON, io: 'input' });
}

const COMMON = {
  target: 'draft-2020-12',
  // Zod adds the bounds of safe integers, which are of no use here.
  override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;
