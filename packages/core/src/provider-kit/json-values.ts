/** An object of JSON, before it is checked. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or `{}` if it is no object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value, or `undefined` if it is no text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value, or an empty list if it is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The entry with index 0 of `choices` or `candidates`. A vendor may send further entries, and may omit the index. */
export function ownChoice(choices: unknown): JsonObject {
  for (const choice of listOf(choices)) {
    const object = objectOf(choice);
    if ((object['index'] ?? 0) === 0) return object;
  }
  return {};
}

/** The list with {@link ownChoice} as its first entry. */
export function ownFirst<T>(choices: readonly T[]): T[] {
  return [...choices.filter(isOwn), ...choices.filter((choice) => !isOwn(choice))];
}

function isOwn(choice: unknown): boolean {
  return (objectOf(choice)['index'] ?? 0) === 0;
}
