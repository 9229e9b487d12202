/** `at_ms` of `atMs`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A record by the names of its columns. */
export function columnsOf(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [columnOf(field), value]));
}
