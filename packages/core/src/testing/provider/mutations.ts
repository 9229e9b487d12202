/** What may suddenly stand in place of any value of a reply; `undefined` is absence. */
const STRANGERS: readonly unknown[] = [null, undefined, 7, 'odd', {}, [null], { a: [] }];
/** Elements of a list are alike. */
const ELEMENTS_TRIED = 2;

/** Copies of a JSON value with one value in it, at any depth, replaced by something it should not be. */
export function* mutations(value: unknown): Generator {
  yield* STRANGERS;
  if (Array.isArray(value)) {
    for (const [index, element] of value.slice(0, ELEMENTS_TRIED).entries()) {
      for (const mutated of mutations(element)) yield value.with(index, mutated);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      for (const mutated of mutations(element)) yield { ...value, [key]: mutated };
    }
  }
}
