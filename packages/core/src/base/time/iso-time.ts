/** A time as ISO 8601 in UTC without fractions of a second, such as `2026-12-01T00:00:00Z`. */
export function isoTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, -'.000Z'.length)}Z`;
}
