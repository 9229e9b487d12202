import { z } from 'zod';
import type { JsonSchema } from '../../base/options/read-request-options.js';

/** Points to a part of the document that has a name. */
export function refTo(kind: 'schemas' | 'headers' | 'parameters', name: string): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

/** An object with these fields, all of them, and no other. */
export function closedObject(properties: Readonly<Record<string, unknown>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Makes JSON Schema of what is sent. A schema that is among the given ones is referred to by its name, wherever it is part of another. */
export function jsonSchemas(schemas: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  // Not the global registry of zod: the names would meet those of the host there.
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { ...COMMON, io: 'output', uri: (id) => refTo('schemas', id).$ref });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [id, schema]),
  );
}

/** Makes JSON Schema of what is taken. */
export function inputSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { ...COMMON, io: 'input' });
}

const COMMON = {
  target: 'draft-2020-12',
  // The bounds of whole numbers that zod adds say nothing that matters here.
  override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;
