/** Options of calls in process that are headers over HTTP. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['apiKey', 'the header Authorization'],
  ['idempotencyKey', 'the header Idempotency-Key'],
  ['cache', 'the header Cache-Control'],
]);

/** The name of a field or an option on the wire: `includeDomains` is `include_domains`. */
export function wireName(name: string): string {
  return HEADERS.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
