/** A moment as text: ISO 8601 in UTC, such as `2026-12-01T00:00:00Z`; fractions of a second are left out. */
export function isoTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, -'.000Z'.length)}Z`;
}
