import { asObject, dereference, type Part } from './openapi.js';

/**
 * The fields of a value that its schema does not name. Few documents forbid unknown fields, so a misspelt field would otherwise pass.
 *
 * @returns their paths, such as `tools.0.web_serach`.
 */
export function unknownFields(document: Part, schema: Part, value: unknown): string[] {
  return unknownIn({ document, at: [] }, [schema], value);
}

interface Place {
  readonly document: Part;
  readonly at: readonly (string | number)[];
}

type Schema = Readonly<Record<string, Part>>;

function unknownIn({ document, at }: Place, schemas: readonly Part[], value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const candidates = schemas.flatMap((schema) => meantBy(document, schema, value));
  if (Array.isArray(value)) {
    const items = candidates.flatMap(({ items: each }) => (each === undefined ? [] : [each]));
    return value.flatMap((element, index) => unknownIn({ document, at: [...at, index] }, items, element));
  }
  if (candidates.every(({ properties }) => properties === undefined)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const place = { document, at: [...at, key] };
    const named = candidates.flatMap(({ properties }) => {
      const schema = asObject(properties)[key];
      return schema === undefined ? [] : [schema];
    });
    // `true` allows anything, like an omission; a schema means that the caller chooses the keys.
    const isMap = candidates.some(({ additionalProperties: others }) => typeof others === 'object');
    return named.length > 0 || isMap ? unknownIn(place, named, field) : [place.at.join('.')];
  });
}

/** A schema with its parts, and the alternatives that the value may mean. */
function meantBy(document: Part, schema: Part, value: object): Schema[] {
  const found = new Set<Schema>();
  const open = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const own = dereference(document, next);
    if (found.has(own)) continue;
    found.add(own);
    const alternatives = [...listOf(own['anyOf']), ...listOf(own['oneOf'])];
    const fitting = alternatives.filter((alternative) => fits(document, alternative, value));
    open.push(...listOf(own['allOf']), ...(fitting.length === 0 ? alternatives : fitting));
  }
  return [...found];
}

/** Whether a value may mean an alternative: constants, such as the `type` of a tool, must be equal. */
function fits(document: Part, alternative: Part, value: object): boolean {
  const { properties, allOf } = dereference(document, alternative);
  if (!listOf(allOf).every((part) => fits(document, part, value))) return false;
  return Object.entries(asObject(properties)).every(([key, property]) => {
    const field: unknown = (value as Record<string, unknown>)[key];
    const { const: constant, enum: choices } = dereference(document, property);
    const allowed = constant === undefined ? listOf(choices) : [constant];
    return typeof field !== 'string' || allowed.length === 0 || allowed.includes(field);
  });
}

function listOf(part: Part): Part[] {
  return Array.isArray(part) ? part : [];
}
