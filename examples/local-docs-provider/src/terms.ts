import { stemmer } from 'stemmer';
import words from './words.json' with { type: 'json' };

/** A word, or a name made of several: `keep-alive`, `z.infer`, `provider_paused`. */
const COMPOUND = /[\p{L}\p{N}$]+(?:[._\-/][\p{L}\p{N}$]+)*/gu;
/** The parts of a camel-case name, digits staying with the letters before them: `body`, `Timeout`; `HTTP`, `Parser`. */
const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}+\p{N}*|\p{N}+|[^\p{Lu}\p{Ll}\p{N}._\-/]+/gu;
/** "log in" is no log, and "JavaScript" holds no Java. */
const ONE_WORD = new RegExp(`\\b(?:${words.oneWord.join('|')})\\b`, 'gi');

/** The words of a line count as one: what developers use for the same thing, and forms a stemmer cannot know. It would take `=https` for `http`. */
const CANONICAL = new Map(
  words.sameMeaning.flatMap((line) => {
    const stems = line.split(' ').map((word) => (word.startsWith('=') ? word.slice(1) : stemmer(word)));
    return stems.map((stem) => [stem, stems[0] ?? stem] as const);
  }),
);
const EMPTY = new Set(words.empty.split(' '));

/** Stems are remembered, since documents repeat their words. The bound is for what questions may bring. */
const STEMS = new Map<string, string>();
const MAX_STEMS = 50_000;
const SLIGHT = new Set(words.slight.split(' ').map(termOf));

/** Whether a word says little of a subject ("version", "default", "v6"): a passage without it may still answer. */
export function isSlight(term: string): boolean {
  return SLIGHT.has(term) || /^v?\d{1,2}$/.test(term);
}

/** A word as it is looked up: its stem, or that of the first word with the same meaning. */
function termOf(word: string): string {
  const lower = word.toLowerCase();
  const known = STEMS.get(lower);
  if (known !== undefined) return known;
  const stem = stemmer(lower);
  const term = CANONICAL.get(lower) ?? CANONICAL.get(stem) ?? stem;
  if (STEMS.size < MAX_STEMS) STEMS.set(lower, term);
  return term;
}

/** The search terms of a text, in order. A name gives its parts, and all of them run together: so `bodyTimeout` and `body-timeout` meet. */
export function termsOf(text: string): string[] {
  return (joined(text).match(COMPOUND) ?? []).flatMap(termsOfCompound);
}

function termsOfCompound(compound: string): string[] {
  const parts = partsOf(compound).map(termOf);
  if (parts.length === 0) return parts;
  // Of `no_answer_found` little is left without its everyday words.
  return (compound.match(PART) ?? []).length > 1 ? [...parts, wholeOf(compound)] : parts;
}

/** What its words say; nothing for "the". */
function partsOf(compound: string): string[] {
  return (compound.match(PART) ?? []).filter((part) => !EMPTY.has(part.toLowerCase()));
}

function wholeOf(compound: string): string {
  return termOf(compound.replace(/[._\-/]/g, ''));
}

/** A text whose phrases that are one word are written as one. */
function joined(text: string): string {
  return text.replace(ONE_WORD, (phrase) => phrase.charAt(0) + phrase.slice(1).toLowerCase().replaceAll(' ', ''));
}

/** A question as what can be looked up. */
export interface Question {
  /** The words that say something of a subject, once each. */
  readonly terms: readonly string[];
  /** Those of them that are names written as in code, such as `bodyTimeout`. */
  readonly identifiers: readonly string[];
}

/** Longer questions are cut, so that the work of a search is bounded. */
export const MAX_QUESTION_CHARS = 1_000;
const MAX_QUESTION_TERMS = 40;
/** "MongoDB" is a brand. */
const LOOKS_LIKE_CODE = /[._]|\p{Ll}\p{Lu}\p{Ll}/u;

/** Reads a question. A name that the documents know is one term, and of any other each of its words is. */
export function readQuestion(text: string, isKnown: (term: string) => boolean): Question {
  const [terms, identifiers] = [new Set<string>(), new Set<string>()];
  for (const compound of joined(text.slice(0, MAX_QUESTION_CHARS)).match(COMPOUND) ?? []) {
    const parts = partsOf(compound);
    const whole = wholeOf(compound);
    const isName = parts.length > 0 && isKnown(whole);
    if (isName && LOOKS_LIKE_CODE.test(compound)) identifiers.add(whole);
    for (const term of isName ? [whole] : parts.map(termOf)) if (terms.size < MAX_QUESTION_TERMS) terms.add(term);
  }
  return { terms: [...terms], identifiers: [...identifiers] };
}
