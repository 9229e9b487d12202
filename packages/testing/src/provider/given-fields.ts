/** A value without fields that are `undefined`, at any depth. */
export function withoutUndefined(value: unknown): unknown {
  return given(value, (entry) => entry !== undefined);
}

/** A value without fields that are `undefined` or `null`, at any depth. */
export function withoutGaps(value: unknown): unknown {
  return given(value, (entry) => entry !== undefined && entry !== null);
}

function given(value: unknown, isGiven: (entry: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => given(entry, isGiven));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, entry]) => isGiven(entry));
  return Object.fromEntries(fields.map(([key, entry]) => [key, given(entry, isGiven)]));
}
