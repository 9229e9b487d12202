/** Whether a value can be sent in a header as a key. The usual mistakes are a line end after a key that was read from a file, and quotes of an env file. */
export function isApiKey(value: unknown): value is string {
  return typeof value === 'string' && /^(?!["'])[\x21-\x7e]+$/.test(value);
}
