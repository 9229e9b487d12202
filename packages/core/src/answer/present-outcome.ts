import { isStorable, wellFormed } from '../options/well-formed.js';
import type { AnswerOutcome } from '../provider-kit/provider.js';
import { boundBrackets } from '../text/bound-brackets.js';
import type { Citation } from '../text/citation.js';
import { renumberMarkers, stripMarkers } from '../text/markers.js';
import { MAX_CITATIONS } from '../text/reply-limits.js';
import type { AnswerCitation } from './answer.js';

/** What of an outcome callers can see, before it is presented to one of them. */
export type DeliveredOutcome = Pick<AnswerOutcome, 'text' | 'citations'>;

/** An answer's text and sources as callers see them. */
export interface PresentedOutcome {
  readonly answer: string;
  readonly citations: readonly AnswerCitation[] | null;
}

const WEB_URL = /^https?:\/\/[^\s/]/i;

/**
 * Prepares an outcome for callers: only http(s) urls leave the gateway, with the markers renumbered when one was dropped; a missing
 * title becomes the page's host name, a missing snippet `""`. A caller who wants no citations gets no markers either. White space that a removed
 * marker leaves at either end goes too, as it does from a stream.
 */
export function presentOutcome({ text, citations }: DeliveredOutcome, includeCitations: boolean): PresentedOutcome {
  if (!includeCitations) return { answer: stripMarkers(text, citations.length).trim(), citations: null };
  const presentable = citations.filter(isWebPage);
  const answer = presentable.length === citations.length ? text : renumberMarkers(text, webPositions(citations)).trim();
  return { answer, citations: presentable.map(presentCitation) };
}

/**
 * An outcome as adapters of this package bound it themselves: with its first {@link MAX_CITATIONS} citations (no marker means a later one, since markers have
 * three digits), no more brackets than can be looked at while others wait, and no halves of characters.
 */
export function boundOutcome(outcome: AnswerOutcome): AnswerOutcome {
  const text = wellFormed(boundBrackets(outcome.text));
  const isBound = text === outcome.text && outcome.citations.length <= MAX_CITATIONS;
  if (isBound && outcome.citations.every(isReadable)) return outcome;
  return { ...outcome, text, citations: outcome.citations.slice(0, MAX_CITATIONS).map(readableCitation) };
}

function isReadable({ url, title, snippet }: Citation): boolean {
  return isStorable(url) && isStorable(title ?? '') && isStorable(snippet ?? '');
}

/** A citation that every reader of JSON can take. */
export function readableCitation(citation: Citation): Citation {
  if (isReadable(citation)) return citation;
  const { url, title, snippet } = citation;
  return { url: wellFormed(url), title: title && wellFormed(title), snippet: snippet && wellFormed(snippet) };
}

export function isWebPage({ url }: Citation): boolean {
  return WEB_URL.test(url);
}

/** Whether a text says anything beside its markers. */
export function hasWords(text: string, citationCount: number): boolean {
  return NO_MARKER.test(text) || stripMarkers(boundBrackets(text), citationCount).trim() !== '';
}

/** What is in no marker `[n]`. Nearly every answer begins with it. */
const NO_MARKER = /[^\s\d[\]]/;

/** The position of each citation, from 1, among those that callers see. */
export function webPositions(citations: readonly Citation[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [index, citation] of citations.entries()) {
    if (isWebPage(citation)) positions.set(String(index + 1), positions.size + 1);
  }
  return positions;
}

export function presentCitation({ url, title, snippet }: Citation): AnswerCitation {
  const trimmed = title?.trim() ?? '';
  return { title: trimmed === '' ? hostName(url) : trimmed, url, snippet: snippet ?? '' };
}

function hostName(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
}
