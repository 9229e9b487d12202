import type { z } from 'zod';

type Immutable<T> = T extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;

/** An example of a body. The type of the example serves as the type of the body, so that declarations list the fields and need no zod. */
export function exampleOf<Schema extends z.ZodType>(
  _schema: Schema,
  example: Immutable<z.output<Schema>>,
): Immutable<z.output<Schema>> {
  return example;
}
