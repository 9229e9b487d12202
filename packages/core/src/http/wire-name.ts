/** The name of a field or an option on the wire: `includeDomains` is `include_domains`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
