import { z } from 'zod';

/** An object that is given for options and has none, such as a Promise. */
export interface EmptyObject {
  readonly path: readonly PropertyKey[];
  /** Of its class, such as `Promise`. */
  readonly kind: string;
}

/**
 * Finds the objects of a class, such as a Promise whose `await` was forgotten, a Date or a Map, that have no field of their own where a schema takes an object
 * of options: zod takes them for one without any, so that limits would be missing and nothing would say so. One of a class that has fields is read as any other.
 *
 * @param inner what a schema leads to behind its defaults, unions and the like.
 */
export function emptyObjects(
  schema: unknown,
  value: unknown,
  { inner, path = [] }: { readonly inner: (schema: unknown) => unknown; readonly path?: readonly PropertyKey[] },
): EmptyObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const current = inner(schema);
  const within = (child: unknown, part: PropertyKey) =>
    emptyObjects(child, (value as Record<PropertyKey, unknown>)[part], { inner, path: [...path, part] });
  if (current instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((_, index) => within(current.element, index));
  if (current instanceof z.ZodRecord) return Object.keys(value).flatMap((key) => within(current.valueType, key));
  if (!(current instanceof z.ZodObject) || Array.isArray(value)) return [];
  const kind = kindOf(value);
  if (kind !== undefined && Object.keys(value).length === 0) return [{ path, kind }];
  return Object.entries(current.shape).flatMap(([key, child]) => within(child, key));
}

/** `undefined` for plain objects, also those of another realm. */
function kindOf(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  return prototype.constructor?.name ?? 'object';
}
