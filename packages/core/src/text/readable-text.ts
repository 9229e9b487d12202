import { UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';
import { MAX_ANSWER_LENGTH } from './reply-limits.js';

/**
 * The text of an answer, short enough to be searched for markers while other calls wait.
 *
 * @param reported what the provider says the call cost, for the error.
 * @throws UpstreamError `upstream_invalid_response`, with the reported cost, for more than {@link MAX_ANSWER_LENGTH} code units.
 */
export function readableText(text: string, reported: NanoUsd | null = null): string {
  if (text.length <= MAX_ANSWER_LENGTH) return text;
  throw new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    status: 200,
    cost: reported,
    detail: 'the answer is too long',
  });
}
