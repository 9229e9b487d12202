import { UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';

/** The most sources of an answer. Further sources are dropped, and their markers removed. Source 1,000 can be listed, but not cited, because markers have three digits. */
export const MAX_CITATIONS = 1_000;

/** The most annotations of a text, and the most elements that are read of a list in a reply. */
export const MAX_ANNOTATIONS = 5_000;

/** Longest texts of a source or a page, in characters. A longer address is dropped with its page; other texts are cut. */
export const MAX_URL_CHARACTERS = 2_048;
export const MAX_TITLE_CHARACTERS = 500;
export const MAX_SNIPPET_CHARACTERS = 4_000;
export const MAX_CONTENT_CHARACTERS = 200_000;

/** Longest id of a call at a provider, in characters. A longer id is cut. */
export const MAX_ID_CHARACTERS = 256;

/** The most numbers of a vector whose length is not known beforehand: several times the longest of any model. */
export const MAX_VECTOR_LENGTH = 16_384;

/** The longest text of an answer, in UTF-16 code units: several times the longest output of models. A longer text is no answer. */
export const MAX_ANSWER_LENGTH = 1_500_000;

/**
 * The number of lines, brackets, back-quotes, tags and backslashes of an answer that are examined. The text after that has no markers, code or links. Real
 * answers have far fewer.
 */
export const MAX_PASSAGES = 20_000;

/**
 * Returns the text of an answer, if the text is short enough to be scanned while other calls wait.
 *
 * @param reported the reported cost of the call, for the error.
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
