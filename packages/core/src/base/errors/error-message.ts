/** The message of an error. If all addresses of a host refuse a connection, node's error has no message: then the message of the first address. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return error.message || (first === undefined ? error.name : errorMessage(first));
}
