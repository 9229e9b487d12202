import { stemmer } from 'stemmer';
import words from './words.json' with { type: 'json' };

/** A word, or a name made of several: `keep-alive`, `z.infer`, `provider_paused`. */
const COMPOUND = /[\p{L}\p{N}$]+(?:[._\-/][\p{L}\p{N}$]+)*/gu;
/** The parts of a camel-case name, digits staying with the letters before them: `body`, `Timeout`; `HTTP`, `Parser`. */
const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}+\p{N}*|\p{N}+|[^\p{Lu}\p{Ll}\p{N}._\-/]+/gu;
/** "log in" is no log, and "shut down" is one word. */
const VERB_AND_PARTICLE = /\b(log|sign|set|shut|back|start|roll) (in|up|down|back)\b/gi;
/** "It timed out" speaks of a timeout. */
const TIME_OUT = /\btim(?:e|es|ed|ing) out\b/gi;
/** What a question for a version is answered with. */
const VERSION = /^v?\d+(?:\.\d+)+$/;
/** Adverbs mean what their adjectives mean; "reply" and "apply" are none. */
const ADVERB_ENDING = /(?<=[a-z]{4})(?<!p)ly$/;

/** Names that are one word for all their capitals. */
const ONE_WORD = new RegExp(words.oneWord.replaceAll(' ', '|'), 'g');
const EMPTY = new Set(words.empty.flatMap((line) => line.split(' ')));
/** The words of a line count as one: what developers use for the same thing, and forms a stemmer cannot know. */
const CANONICAL = new Map(
  words.sameMeaning.flatMap((line) => {
    const stems = line.split(' ').map((word) => stemmer(word));
    return stems.map((stem) => [stem, stems[0] ?? stem] as const);
  }),
);
const SLIGHT = new Set(words.slight.split(' ').map(termOf));

function termOf(word: string): string {
  const stem = stemmer(word.replace(ADVERB_ENDING, ''));
  return CANONICAL.get(stem) ?? stem;
}

/** Whether a word says little of a subject ("version", "default"): a passage without it may still answer. */
export function isSlight(term: string): boolean {
  return SLIGHT.has(term);
}

const EMPTY_TERMS = new Set([...EMPTY].map(termOf));

/** Whether a word says nothing of a subject. */
export function isEmpty(term: string): boolean {
  return EMPTY_TERMS.has(term);
}

/** The search terms of a text, in order. A name gives its parts, and all of them run together: so `bodyTimeout` and `body-timeout` meet. */
export function termsOf(text: string, stem: (word: string) => string = termOf): string[] {
  return compoundsOf(text).flatMap(([compound]) => {
    const parts = partsOf(compound);
    const terms = VERSION.test(compound) ? [...parts.map(stem), 'version'] : parts.map(stem);
    return parts.length > 1 ? [...terms, stem(parts.join(''))] : terms;
  });
}

/** The same for many texts, each word stemmed once. */
export function createTermReader(): (text: string) => string[] {
  const stems = new Map<string, string>();
  const stem = (word: string) => {
    const term = stems.get(word) ?? termOf(word);
    stems.set(word, term);
    return term;
  };
  return (text) => termsOf(text, stem);
}

function compoundsOf(text: string): RegExpExecArray[] {
  return [
    ...text
      .replace(VERB_AND_PARTICLE, '$1$2')
      .replace(TIME_OUT, 'timeout')
      .replace(ONE_WORD, capitalized)
      .matchAll(COMPOUND),
  ];
}

function capitalized(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase();
}

function partsOf(compound: string): string[] {
  return (compound.match(PART) ?? []).map((part) => part.toLowerCase());
}

/** A question as what can be looked up. */
export interface Question {
  /** The words that say something of a subject, once each. */
  readonly terms: readonly string[];
  /** Those of them that are names: identifiers, and words with a capital inside a sentence. */
  readonly names: ReadonlySet<string>;
  /** Known names that are written as in code, such as `bodyTimeout`. */
  readonly identifiers: readonly string[];
  /** Whether it asks about the gateway, which may be called "it". */
  readonly isAboutGateway: boolean;
}

/** Longer questions are cut, so that the work of a search is bounded. */
const MAX_QUESTION_CHARS = 1_000;
const MAX_QUESTION_TERMS = 40;
const LOOKS_LIKE_NAME = /^\p{Lu}|[\d_.]|\p{Ll}\p{Lu}/u;
const LOOKS_LIKE_CODE = /[._]|\p{Ll}\p{Lu}/u;
const BEGINS_SENTENCE = /(?:^|[.!?:]\s+)["'`(]*$/;
/** Written with capitals wherever they stand. */
const EVERYDAY = /^(?:apis?|https?|urls?|json)$/i;

/** Reads a question. A name that the documents know is one term; any other one of several words is its words. */
export function readQuestion(
  text: string,
  isKnown: (term: string) => boolean,
  isSource: (term: string) => boolean,
): Question {
  const read = text.slice(0, MAX_QUESTION_CHARS).replaceAll('’', "'");
  const [terms, names] = [new Set<string>(), new Set<string>()];
  const identifiers: string[] = [];
  for (const { 0: compound, index } of compoundsOf(read)) {
    if (EMPTY.has(compound.toLowerCase())) continue;
    const parts = partsOf(compound);
    const whole = termOf(parts.join(''));
    const isHyphenated = /[-/]/.test(compound);
    const isOneWord = isSource(whole) || (!isHyphenated && (isKnown(whole) || !/[._]|^\p{Ll}.*\p{Lu}/u.test(compound)));
    const isName =
      LOOKS_LIKE_NAME.test(compound) &&
      !EVERYDAY.test(compound) &&
      !/^\d+$/.test(compound) &&
      !BEGINS_SENTENCE.test(read.slice(0, index));
    if (isKnown(whole) && LOOKS_LIKE_CODE.test(compound)) identifiers.push(compound);
    for (const term of isOneWord ? [whole] : parts.filter((part) => !EMPTY.has(part)).map(termOf)) {
      if (terms.size >= MAX_QUESTION_TERMS) break;
      terms.add(term);
      if (isName) names.add(term);
    }
  }
  return {
    terms: [...terms],
    names,
    identifiers,
    isAboutGateway: /\b(?:it|searchgate|gateway)\b/i.test(read),
  };
}
