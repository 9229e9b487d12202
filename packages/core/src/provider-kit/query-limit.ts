import { UpstreamError } from '../base/errors/upstream-error.js';
import { hasMoreCharacters } from '../base/options/has-more-characters.js';

/**
 * Refuses a question that is too long for a provider, before it is sent and paid for. Characters are Unicode code points,
 * as the vendors' servers count them.
 *
 * @throws UpstreamError `query_rejected`, phase `connect`: a fallback is tried next.
 */
export function assertQueryFits(query: string, maxCharacters: number): void {
  if (!hasMoreCharacters(query, maxCharacters)) return;
  const detail = `the query is longer than the ${maxCharacters} characters that the provider takes`;
  throw new UpstreamError('query_rejected', { phase: 'connect', detail });
}
