import { UpstreamError } from '../errors.js';
import { MAX_ANSWER_LENGTH } from '../reply-limits.js';
import type { OutcomeCost } from './provider.js';

/**
 * Lets only texts pass that can be looked through for markers while others wait.
 *
 * @throws UpstreamError `upstream_invalid_response`, with the reported cost, for more than {@link MAX_ANSWER_LENGTH} code units.
 */
export function assertAnswerLength(text: string, cost: OutcomeCost = {}): void {
  if (text.length <= MAX_ANSWER_LENGTH) return;
  throw new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    status: 200,
    cost: cost.reported ?? null,
    detail: 'the answer is too long',
  });
}
