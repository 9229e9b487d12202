/** What a field or an option of this package is called on the wire: `includeDomains` is `include_domains`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
