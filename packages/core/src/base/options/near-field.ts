/** The field that a misspelled name means: one edit away from a field of five letters or more, two edits from eight letters on. `undefined` if no field is near. */
export function nearField(name: string, fields: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const field of fields) {
    const most = editsOf(field);
    // Skips the comparison of long names: a name may be as long as a body.
    if (most === 0 || Math.abs(field.length - name.length) > most) continue;
    const edits = editsBetween(name, field);
    if (edits > most || edits >= least) continue;
    nearest = field;
    least = edits;
  }
  return nearest;
}

function editsOf(field: string): number {
  if (field.length >= 8) return 2;
  return field.length >= 5 ? 1 : 0;
}

/** The number of letters to insert, delete, replace, or swap with their neighbor (optimal string alignment). */
export function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
