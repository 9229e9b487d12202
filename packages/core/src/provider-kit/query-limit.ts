import { UpstreamError } from '../base/errors/upstream-error.js';

/**
 * Refuses a question that is too long for a provider, before it is sent and paid for. Characters are Unicode code points,
 * as the vendors' servers count them.
 *
 * @throws UpstreamError `query_rejected`, phase `connect`: a fallback is tried next.
 */
export function assertQueryFits(query: string, maxCharacters: number): void {
  // A text has never more characters than UTF-16 units.
  if (query.length <= maxCharacters) return;
  const characters = Array.from(query).length;
  if (characters <= maxCharacters) return;
  const detail = `the query has ${characters} characters, the provider takes ${maxCharacters}`;
  throw new UpstreamError('query_rejected', { phase: 'connect', detail });
}
