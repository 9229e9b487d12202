export type JsonObject = Record<string, unknown>;

/** The value as an object; `{}` where it is none. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The entry of `choices` or `candidates` that is asked for: that of index 0. A vendor may send others, and may leave the index out. */
export function ownChoice(choices: unknown): JsonObject {
  for (const choice of listOf(choices)) {
    const object = objectOf(choice);
    if ((object['index'] ?? 0) === 0) return object;
  }
  return {};
}

/** The same list, where its first entry is the {@link ownChoice}. */
export function ownFirst<T>(choices: readonly T[]): T[] {
  return [...choices.filter(isOwn), ...choices.filter((choice) => !isOwn(choice))];
}

function isOwn(choice: unknown): boolean {
  return (objectOf(choice)['index'] ?? 0) === 0;
}
