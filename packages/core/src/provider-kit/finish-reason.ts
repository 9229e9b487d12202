import type { JsonReply, ReplyFailure } from './json-endpoint.js';
import type { OutcomeCost } from './provider.js';

/**
 * Accepts only replies that are proved to be complete.
 *
 * @throws UpstreamError `query_rejected` for a refusal; for a failure the reason from the provider's error table;
 * otherwise `upstream_invalid_response`. Each carries the cost and usage of the run.
 */
export function assertComplete(
  { finish, failure }: Pick<JsonReply<unknown>, 'finish' | 'failure'>,
  cost: OutcomeCost,
): void {
  if (finish === 'complete') return;
  const spent = costAndUsage(cost);
  if (finish === 'truncated')
    throw failure({ reason: 'upstream_invalid_response', ...spent, detail: 'the answer was cut off' });
  if (finish === 'refused')
    throw failure({ reason: 'query_rejected', ...spent, detail: 'the model declined to answer' });
  if (finish === 'unproven') throw failure({ ...spent, detail: 'the reply does not say that the answer is complete' });
  throw failure(spent);
}

/** Adds the provider's own finish reason to the detail of a failure, for the operator. */
export function withProviderWord(word: string, failure: JsonReply<unknown>['failure']): JsonReply<unknown>['failure'] {
  return ({ detail, ...options } = {}) =>
    failure({ ...options, detail: `${detail ?? 'the provider did not finish'}: ${word}` });
}

/**
 * Accepts only answers that are based on a search. Without one the model answers from memory: it cites nothing and no reader can
 * check it, so another attempt is better.
 *
 * @throws UpstreamError `upstream_invalid_response`, with the cost and usage of the run.
 */
export function assertSearched(hasSearched: boolean, failure: JsonReply<unknown>['failure'], cost: OutcomeCost): void {
  const detail = 'the answer is not based on a search';
  if (!hasSearched) throw failure({ reason: 'upstream_invalid_response', ...costAndUsage(cost), detail });
}

/** The cost and usage of a run without an answer, for its failure: the operator pays them. */
export function costAndUsage({ reported, usage }: OutcomeCost): Pick<ReplyFailure, 'cost' | 'usage'> {
  return { cost: reported, usage };
}
