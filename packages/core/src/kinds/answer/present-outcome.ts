import { isStorable, isVisible, wellFormed } from '../../base/options/characters.js';
import type { PageScope } from '../../base/search-options/page-scope.js';
import type { AnswerOutcome } from '../../provider-kit/provider.js';
import { filterAddresses, filterJson } from '../../text/address-filter.js';
import type { Citation } from '../../text/citation.js';
import { type TextMarker, withMarkers } from '../../text/marker-writer.js';
import { markersOf } from '../../text/own-markers.js';
import { boundText, webAddress } from '../../text/page-fields.js';
import { MAX_CITATIONS, MAX_SNIPPET_CHARACTERS, MAX_TITLE_CHARACTERS } from '../../text/reply-limits.js';
import type { KindBody } from '../kind-call.js';
import type { AnswerCitation } from './answer-listener.js';

/** The part of an answer that callers can see, before it is presented to a caller. */
export type DeliveredAnswer = Pick<AnswerOutcome, 'text' | 'citations' | 'markers' | 'truncated' | 'grounding'>;

/** An answer's text and sources as callers see them. */
export interface PresentedOutcome extends Pick<AnswerOutcome, 'truncated' | 'grounding'> {
  readonly answer: string;
  readonly citations: readonly AnswerCitation[] | null;
  /** The markers that the adapter reports: see `markersOf`. */
  readonly markers: readonly TextMarker[] | undefined;
}

/** What an answer may show. */
export interface Limits {
  /** Which pages it may show. Default: all. */
  readonly scope?: PageScope | undefined;
  /** Whether the text is JSON, which stays JSON. Default `false`. */
  readonly isJson?: boolean | undefined;
}

/**
 * Prepares an outcome for callers: a citation whose URL is no {@link webAddress} is dropped, and the markers are renumbered; a missing
 * title becomes the page's host name, a missing snippet `""`. A caller who wants no citations gets no markers either. White space that a removed
 * marker leaves at either end is removed too, as in a stream. At last, addresses outside of the caller's rules are replaced.
 */
export function presentOutcome(
  outcome: DeliveredAnswer,
  includeCitations: boolean,
  { scope, isJson = false }: Limits = {},
): PresentedOutcome {
  const shown = shownOutcome(outcome, includeCitations, scope);
  if (scope?.rules === undefined) return shown;
  const { allows } = scope.rules;
  const answer = isJson ? filterJson(shown.answer, allows) : filterAddresses(shown.answer, allows);
  return answer === shown.answer ? shown : { ...shown, answer, markers: undefined };
}

function shownOutcome(outcome: DeliveredAnswer, includeCitations: boolean, scope?: PageScope): PresentedOutcome {
  const { text, truncated, grounding } = outcome;
  if (!includeCitations) {
    const { text: answer } = withMarkers({ text, markers: markersOf(outcome) }, () => 0);
    return { answer, citations: null, markers: [], truncated, grounding };
  }
  const { text: answer, citations, markers } = onlyCitations(outcome, isWebPage);
  const presented = citations.map((each) => presentCitation(each, scope));
  return { answer, citations: presented, markers, truncated, grounding };
}

/** The fields of the reply. */
export function answerBody({ answer, citations, truncated, grounding }: PresentedOutcome): KindBody {
  const fields = citations === null ? { answer } : { answer, citations };
  const checked = grounding === undefined ? fields : { ...fields, grounding };
  return { fields: truncated ? { ...checked, truncated } : checked, usage: {} };
}

/** Keeps some citations of an outcome: removes the markers of the others, and renumbers the remaining markers. */
export function onlyCitations<Outcome extends DeliveredAnswer>(
  outcome: Outcome,
  isKept: (citation: Citation) => boolean,
): Outcome {
  if (outcome.citations.every(isKept)) return outcome;
  let count = 0;
  const places = outcome.citations.map((citation) => (isKept(citation) ? (count += 1) : 0));
  const marked = { text: outcome.text, markers: markersOf(outcome) };
  const { text, markers } = withMarkers(marked, (position) => places[position - 1] ?? 0);
  return { ...outcome, text, markers, citations: outcome.citations.filter((_citation, index) => places[index] !== 0) };
}

/**
 * Limits an outcome as the adapters of this package do: to the first {@link MAX_CITATIONS} citations (markers have three digits, so they cannot mean a later
 * citation), with titles and snippets of bounded length, and without halves of surrogate pairs.
 */
export function limitOutcome(outcome: AnswerOutcome): AnswerOutcome {
  const text = wellFormed(outcome.text);
  const isBound = text === outcome.text && outcome.citations.length <= MAX_CITATIONS;
  if (isBound && outcome.citations.every(isReadable)) return outcome;
  return { ...outcome, text, citations: outcome.citations.slice(0, MAX_CITATIONS).map(readableCitation) };
}

function isReadable({ url, title, snippet }: Citation): boolean {
  const isShort = (title?.length ?? 0) <= MAX_TITLE_CHARACTERS && (snippet?.length ?? 0) <= MAX_SNIPPET_CHARACTERS;
  return isShort && isStorable(url) && (title == null || isStorable(title)) && (snippet == null || isStorable(snippet));
}

/** A citation that every JSON reader accepts, with texts of bounded length. */
export function readableCitation(citation: Citation): Citation {
  if (isReadable(citation)) return citation;
  const title = boundText(citation.title, MAX_TITLE_CHARACTERS);
  return { url: wellFormed(citation.url), title, snippet: boundText(citation.snippet, MAX_SNIPPET_CHARACTERS) };
}

export function isWebPage({ url }: Citation): boolean {
  return webAddress(url) !== undefined;
}

export function presentCitation({ url, title, snippet }: Citation, scope?: PageScope): AnswerCitation {
  const allows = scope?.rules?.allows;
  const trimmed = isVisible(title ?? '') ? (title?.trim() ?? '') : '';
  // Only as readers of links need, for some of which a backslash is a part of a host: callers compare addresses with those of their own lists.
  const isUsual = !/[\s\p{Cc}\\]/u.test(url);
  // The URL standard skips fewer spaces around an address than `webAddress`.
  const address = isUsual ? url : (webAddress(url) ?? url);
  const shown = trimmed === '' ? boundText(new URL(address).hostname, MAX_TITLE_CHARACTERS) : trimmed;
  return {
    title: filterAddresses(shown, allows),
    url: address,
    snippet: isVisible(snippet ?? '') ? filterAddresses(snippet ?? '', allows) : '',
  };
}
