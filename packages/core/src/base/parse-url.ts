/**
 * `undefined` for a text that is no absolute URL. In place of `URL.canParse`, which Node 20 and 22 answer with `false` for letters such as `ü` once it was
 * called some thousand times (seen with 20.20.2 and 22.23.3 on 2026-11-26).
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
