import { pageScope, rulesOf, searchWithin } from '../base/search-options/page-scope.js';
import type { AnswerRequest } from './answer.js';

/**
 * A request within the domain rules of its key: what its search asks for, which pages it names, and what its reply may show.
 *
 * @throws RequestError `domains_exclude_all`.
 */
export function withinRules(request: AnswerRequest): AnswerRequest {
  const { apiKey, call, search } = request;
  const { pages } = call.kind;
  const rules = pages === undefined ? undefined : rulesOf(apiKey.domains);
  const scope = pageScope(search, rules);
  if (rules === undefined) return scope === undefined ? request : { ...request, scope };
  if (pages === 'found') return { ...request, search: searchWithin(search, rules), scope };
  return { ...request, call: call.within?.(rules) ?? call, scope };
}
