/** Ends of sentences: a full stop and its kin, then a capital, a quote or code. Abbreviations with inner stops ("e.g. this") go on in lower case. */
const SENTENCE_BREAK = /(?<=[.!?][`"')]?)\s+(?=[\p{Lu}`"'(])/u;

/** The sentences of a passage; every list line is one. */
export function sentencesOf(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const sentences = line.split(SENTENCE_BREAK);
    return index === 0
      ? sentences
      : sentences.map((sentence, position) => (position === 0 ? `\n${sentence}` : sentence));
  });
}

/** What to leave out of a text that is too long for its place. */
export interface Excerpt {
  readonly maxChars: number;
  /** How much a sentence says about the question. */
  weightOf(sentence: string): number;
}

/**
 * The run of whole sentences around the one that says most about the question; the whole text when it fits.
 * A first sentence that alone is too long is kept.
 */
export function excerptOf(text: string, { maxChars, weightOf }: Excerpt): string {
  if (text.length <= maxChars) return text;
  const sentences = sentencesOf(text);
  const weights = sentences.map(weightOf);
  const best = weights.indexOf(Math.max(...weights));
  let [start, end] = [best, best + 1];
  const lengthOf = () => joinSentences(sentences.slice(start, end)).length;
  const fits = (sentence: string | undefined) => sentence !== undefined && lengthOf() + 1 + sentence.length <= maxChars;
  // What comes before introduces the sentence, what comes after explains it: first one before, then as many after as fit, then the rest before.
  if (fits(sentences[start - 1])) start -= 1;
  while (fits(sentences[end])) end += 1;
  while (fits(sentences[start - 1])) start -= 1;
  return joinSentences(sentences.slice(start, end));
}

function joinSentences(sentences: readonly string[]): string {
  return sentences
    .reduce((text, sentence) => (sentence.startsWith('\n') ? text + sentence : `${text} ${sentence}`))
    .trim();
}
