/** What an error says. Where all addresses of a host refuse a connection, the error of them all says nothing: then what the first of them says. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return error.message || (first === undefined ? error.name : errorMessage(first));
}
