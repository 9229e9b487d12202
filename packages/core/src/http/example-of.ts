import type { z } from 'zod';

type Immutable<T> = T extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;

/** An example of a body. The type of the body is the type of its example: declarations then list the fields, and need no zod. */
export function exampleOf<Schema extends z.ZodType>(
  _schema: Schema,
  example: Immutable<z.output<Schema>>,
): Immutable<z.output<Schema>> {
  return example;
}
