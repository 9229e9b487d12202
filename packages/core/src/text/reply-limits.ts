import { UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';

/** The most sources of an answer; others are left out, and markers that mean them are removed. The last one can be listed, but markers have three digits. */
export const MAX_CITATIONS = 1_000;

/** The most annotations of a text, and the most elements that are read of any list in a reply. */
export const MAX_ANNOTATIONS = 5_000;

/** The longest text of an answer, in UTF-16 code units: several times what models write at most. A longer one is no answer. */
export const MAX_ANSWER_LENGTH = 1_500_000;

/**
 * So many lines, brackets, back-quotes, tags and backslashes of an answer are looked at. Behind them nothing is a marker, code or a link. Real answers have far
 * fewer.
 */
export const MAX_PASSAGES = 20_000;

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
