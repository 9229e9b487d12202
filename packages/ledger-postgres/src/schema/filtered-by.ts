/** Conditions of a statement, by the fields of the JSON `$1` that they are for; `@` stands for the field's text. Where it has none, all rows fit. */
export function filteredBy(conditions: Readonly<Record<string, string>>): string {
  return Object.entries(conditions)
    .map(([field, condition]) => `($1 ->> '${field}' IS NULL OR ${condition.replace('@', `($1 ->> '${field}')`)})`)
    .join(' AND ');
}
