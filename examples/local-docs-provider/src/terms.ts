/** A run of word characters, or several joined by a character that names hold together: `keep-alive`, `z.infer`, `HTTP/2`. */
const COMPOUND = /[\p{L}\p{N}$]+(?:[._\-/]+[\p{L}\p{N}$]+)*/gu;
const WORD = /[\p{L}\p{N}$]+/gu;
/** The parts of a camel-case name, digits staying with the letters before them: `body`, `Timeout`; `HTTP`, `Parser`; `allow`, `H2`. */
const CAMEL_PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}+\p{N}*|\p{N}+|[^\p{Lu}\p{Ll}\p{N}]+/gu;

/**
 * The search terms of a text, in order and stemmed. A compound name gives its parts and itself run together, so that `bodyTimeout`,
 * `body-timeout` and (through {@link joinedTerms}) "body timeout" meet.
 */
export function termsOf(text: string): string[] {
  return compoundsOf(text).flatMap((parts) => (parts.length === 1 ? stems(parts) : [...stems(parts), joined(parts)]));
}

/** The same without the compounds: what a name is made of. */
export function partTermsOf(text: string): string[] {
  return compoundsOf(text).flatMap(stems);
}

function compoundsOf(text: string): string[][] {
  return (text.match(COMPOUND) ?? []).map((compound) =>
    wordsOf(compound).flatMap((word) => word.match(CAMEL_PART) ?? []),
  );
}

function stems(words: readonly string[]): string[] {
  return words.map((word) => stem(word.toLowerCase()));
}

/** The words of a text as they stand, without punctuation. */
export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Neighboring words run together, two and three at a time: what a name made of these words is indexed as. */
export function joinedTerms(words: readonly string[]): string[] {
  return words.flatMap((_, start) =>
    [2, 3].flatMap((count) => (start + count > words.length ? [] : [joined(words.slice(start, start + count))])),
  );
}

function joined(parts: readonly string[]): string {
  return stem(parts.map((part) => SHORT_FORMS[part.toLowerCase()] ?? part.toLowerCase()).join(''));
}

/** Long and short forms of the same word, as names and sentences use them. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  argument: 'arg',
  asynchronous: 'async',
  configuration: 'config',
  directory: 'dir',
  environment: 'env',
  http2: 'h2',
  maximum: 'max',
  minimum: 'min',
  parameter: 'param',
  synchronous: 'sync',
};
const SHORTEST_STEM = 3;
/** Tried in order; the first ending that leaves a stem long enough is replaced. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/(ss|x|ch|sh)es$/, '$1'],
  [/(?<![su])s$/, ''],
  [/ly$/, ''],
];
const VERB_ENDINGS = /(?:ing|ed)$/;
const NOUN_ENDINGS = /(?:ation|ator|ate|ment|ure|(?<=[st])ion|e)$/;

/** Takes common English endings off, so that "validate", "validates", "validating" and "validation" become one term. */
export function stem(word: string): string {
  const short = SHORT_FORMS[word] ?? SHORT_FORMS[word.replace(/(?:s|ly)$/, '')];
  if (short !== undefined) return short;
  if (!/^[a-z]+$/.test(word)) return word;
  const singular = ENDINGS.reduce((text, [ending, replacement]) => shortened(text, ending, replacement), word);
  const root = shortened(singular, VERB_ENDINGS, '');
  const undoubled = root === singular ? root : root.replace(/([bdfgmnprt])\1$/, '$1').replace(/at$/, '');
  return shortened(undoubled, NOUN_ENDINGS, '');
}

function shortened(word: string, ending: RegExp, replacement: string): string {
  const result = word.replace(ending, replacement);
  return result.length >= SHORTEST_STEM ? result : word;
}
