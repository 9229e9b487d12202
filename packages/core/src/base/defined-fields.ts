/** An object without the fields that are `undefined`, so that it can be spread over another object. */
export function definedFields<T>(fields: Readonly<Record<string, T>>): Record<string, Exclude<T, undefined>> {
  const isDefined = (field: [string, T]): field is [string, Exclude<T, undefined>] => field[1] !== undefined;
  return Object.fromEntries(Object.entries(fields).filter(isDefined));
}
