import { UpstreamError } from '../errors/upstream-error.js';
import type { OutcomeCost } from '../provider-kit/provider.js';
import { boundBrackets } from './bound-brackets.js';
import { MAX_ANSWER_LENGTH } from './reply-limits.js';

/**
 * The text of an answer, such that it can be looked through for markers while others wait: behind the first 20,000 opening brackets it has none.
 *
 * @throws UpstreamError `upstream_invalid_response`, with the reported cost, for more than {@link MAX_ANSWER_LENGTH} code units.
 */
export function readableText(text: string, cost: OutcomeCost = {}): string {
  if (text.length <= MAX_ANSWER_LENGTH) return boundBrackets(text);
  throw new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    status: 200,
    cost: cost.reported ?? null,
    detail: 'the answer is too long',
  });
}
