import type { Passage } from './passages.js';
import { HINTS, type Question } from './question.js';
import { partTermsOf, stem, termsOf } from './terms.js';

/** How a passage met the terms of a question. */
export interface Meeting {
  readonly passage: Passage;
  readonly question: Question;
  /** Terms of the passage that were met. */
  readonly matched: ReadonlySet<string>;
  /** How much of a topic the passage covers: 1, less when it was only compared loosely, or 0. */
  shareOf(topic: string): number;
  /** How rare a term is. */
  rarity(term: string): number;
}

export interface Judgement {
  /**
   * How surely the passage is about the question, about 0 to 1.2: the share of the question's topics it covers, each weighted by how rare it is,
   * plus up to 0.2 when the question speaks of what the passage is named or headed by.
   */
  readonly grounding: number;
  /** Factor by which the passage is the better (or worse) answer, beyond the words it shares with the question. */
  readonly aptness: number;
}

/** A passage named or headed by nothing but the question's words is about the question. */
const FOCUS_BOOST = 2;
const FOCUS_GROUNDING = 0.2;
/** One topic alone is covered by every passage it stands in, whatever that is about. */
const SINGLE_TOPIC_CERTAINTY = 0.7;
/** What opens a section introduces it. */
const OPENING_BOOST = 0.2;
/** A question for a default is answered where one is stated. */
const DEFAULT_BOOST = 1;
const DEFAULT = stem('default');
const STATES_DEFAULT = /\bdefaults?(?:\s*:| to\b| is\b)/i;
/** A few words without an example hardly answer anything. */
const SLIGHT_FACTOR = 0.4;
const SLIGHT_CHARS = 50;

/** Judges how well a passage would answer a question. */
export function judgePassage(meeting: Meeting): Judgement {
  const { passage, question, matched } = meeting;
  const isNamed = isSpelledOut(passage, question);
  const coverage = isNamed ? 1 : coverageOf(meeting);
  const focus = isNamed ? 1 : focusOf(passage, matched);
  const certainty = question.topics.length === 1 ? SINGLE_TOPIC_CERTAINTY : 1;
  const opening = passage.position === 0 ? OPENING_BOOST : 0;
  const defaults = matched.has(DEFAULT) && STATES_DEFAULT.test(passage.text) ? DEFAULT_BOOST : 0;
  const slight = passage.code === null && passage.text.length < SLIGHT_CHARS ? SLIGHT_FACTOR : 1;
  return {
    grounding: coverage * certainty + FOCUS_GROUNDING * focus,
    aptness: coverage * (1 + FOCUS_BOOST * focus + opening + defaults) * slight,
  };
}

/** Whether the question spells out, in words of its own, the compound name of a passage: "message key" for `messageKey`. */
function isSpelledOut(passage: Passage, { joined }: Question): boolean {
  return termsOf(nameOf(passage)).some((term) => joined.includes(term));
}

function coverageOf({ question: { topics }, shareOf, rarity }: Meeting): number {
  const total = sum(topics.map(rarity));
  return total === 0 ? 0 : sum(topics.map((topic) => rarity(topic) * shareOf(topic))) / total;
}

/** Share of a passage's name that the question speaks of. */
function focusOf(passage: Passage, matched: ReadonlySet<string>): number {
  const terms = partTermsOf(nameOf(passage)).filter((term) => !HINTS.has(term));
  return terms.length === 0 ? 0 : terms.filter((term) => matched.has(term)).length / terms.length;
}

/** What the passage defines, or else its heading. */
function nameOf({ name, headings }: Passage): string {
  return name ?? headings.at(-1) ?? '';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
