const SEPARATORS = /[\u0085\u2028\u2029]/g;

/**
 * JSON text without characters that end a line. JSON may have three such characters unescaped, and readers of lines such as Python's `splitlines` would cut an
 * event or a line of a log there.
 */
export function oneLine(json: string): string {
  return json.replace(SEPARATORS, (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
