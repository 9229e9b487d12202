import type { z } from 'zod';

/** A type without `readonly`, which schemas do not know. */
type Plain<T> = T extends readonly (infer Element)[]
  ? Plain<Element>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Plain<T[Name]> }
    : T;

type IsSame<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? true : false;

/** Takes a schema that says exactly what a type says: for any other, and for a type that has changed since, it does not compile. */
export function describing<Described>() {
  return <Schema extends z.ZodType>(
    schema: Schema & (IsSame<Described, z.output<Schema>> extends true ? unknown : never),
  ): Schema => schema;
}
