import { z } from 'zod';

/** A part of options that zod reads as if it were not there, so that a limit or a credit would be missing and nothing would say so. */
export interface LostPart {
  readonly path: readonly PropertyKey[];
  readonly found: string;
  readonly expected: string;
}

/** Objects are made by copying entries one by one, and an entry of this name is left out. */
const NOT_A_NAME = '__proto__';
const OTHER_NAME = 'another name: JavaScript keeps this one to itself';

/**
 * Finds the parts of options that zod would pass over: entries named `__proto__`, and objects of a class, such as a Promise whose `await` was forgotten, a
 * Date or a Map, that have no field of their own where a schema takes an object of options. One of a class that has fields is read as any other.
 *
 * @param inner what a schema leads to behind its defaults, unions and the like.
 */
export function lostParts(
  schema: unknown,
  value: unknown,
  { inner, path = [] }: { readonly inner: (schema: unknown) => unknown; readonly path?: readonly PropertyKey[] },
): LostPart[] {
  if (typeof value !== 'object' || value === null) return [];
  const current = inner(schema);
  const within = (child: unknown, part: PropertyKey) =>
    lostParts(child, (value as Record<PropertyKey, unknown>)[part], { inner, path: [...path, part] });
  if (current instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((_, index) => within(current.element, index));
  if (current instanceof z.ZodRecord)
    return [...lostName(value, path), ...Object.keys(value).flatMap((key) => within(current.valueType, key))];
  if (!(current instanceof z.ZodObject) || Array.isArray(value)) return [];
  const kind = kindOf(value);
  if (kind !== undefined && Object.keys(value).length === 0) return [emptyObject(kind, path)];
  // Of a strict object zod says itself that it knows no such name.
  const lost = current.def.catchall instanceof z.ZodNever ? [] : lostName(value, path);
  return [...lost, ...Object.entries(current.shape).flatMap(([key, child]) => within(child, key))];
}

function lostName(value: object, path: readonly PropertyKey[]): LostPart[] {
  if (!Object.hasOwn(value, NOT_A_NAME)) return [];
  return [{ path: [...path, NOT_A_NAME], found: `the name "${NOT_A_NAME}"`, expected: OTHER_NAME }];
}

function emptyObject(kind: string, path: readonly PropertyKey[]): LostPart {
  const expected = kind === 'Promise' ? 'an object; this has to be awaited' : 'an object';
  return { path, found: `a ${kind} without fields`, expected };
}

/** `undefined` for plain objects, also those of another realm. */
function kindOf(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  return prototype.constructor?.name ?? 'object';
}
