/** The value of a name in a map, which is made where there is none yet. */
export function madeIn<Name, Value>(map: Made<Name, Value>, name: Name, make: () => Value): Value {
  let value = map.get(name);
  if (value === undefined) map.set(name, (value = make()));
  return value;
}

/** A map of any kind. */
interface Made<Name, Value> {
  get(name: Name): Value | undefined;
  set(name: Name, value: Value): unknown;
}
