import type { JsonReply, ReplyFailure } from './json-endpoint.js';
import type { OutcomeCost } from './provider.js';

/** How a reply that came with HTTP 200 ended; one that does not say counts as whole. */
export type ReplyEnding =
  | 'whole'
  /**
   * Broken off, by a limit on tokens for instance: half an answer is none, and another attempt or a fallback may give a whole one.
   */
  | 'cut'
  /** The model, or a filter, declined to answer. */
  | 'refused'
  /** The provider tells of an error, or has not finished. */
  | 'failed';

/**
 * Lets only whole replies pass.
 *
 * @throws UpstreamError `query_rejected` for a refusal; for a failure what the provider's error table makes of its words;
 * `upstream_invalid_response` else. Each with what the run cost and used.
 */
export function assertWhole(ending: ReplyEnding, failure: JsonReply<unknown>['failure'], cost: OutcomeCost): void {
  const spent = spentOn(cost);
  if (ending === 'cut')
    throw failure({ reason: 'upstream_invalid_response', ...spent, detail: 'the answer was cut off' });
  if (ending === 'refused')
    throw failure({ reason: 'query_rejected', ...spent, detail: 'the model declined to answer' });
  if (ending === 'failed') throw failure(spent);
}

/** The same failures, which also tell the operator by which word of the provider's the reply ended. */
export function naming(word: string, failure: JsonReply<unknown>['failure']): JsonReply<unknown>['failure'] {
  return ({ detail, ...options } = {}) =>
    failure({ ...options, detail: `${detail ?? 'the provider did not finish'}: ${word}` });
}

/**
 * Lets only answers pass that rest on a search. What a model says without one is its memory: it cites nothing and nobody can check
 * it, so another attempt is better than delivering it.
 *
 * @throws UpstreamError `upstream_invalid_response`, with what the run cost and used.
 */
export function assertSearched(hasSearched: boolean, failure: JsonReply<unknown>['failure'], cost: OutcomeCost): void {
  const detail = 'no search stands behind the answer';
  if (!hasSearched) throw failure({ reason: 'upstream_invalid_response', ...spentOn(cost), detail });
}

/** The cost and usage of a run without an answer, for its failure: the operator has to pay for it. */
export function spentOn({ reported, usage }: OutcomeCost): Pick<ReplyFailure, 'cost' | 'usage'> {
  return { cost: reported, usage };
}
