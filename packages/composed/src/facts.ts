import words from './words.json' with { type: 'json' };

/** What a text says. */
export interface Statement {
  /** Numbers, names, months, and words with digits. */
  readonly facts: ReadonlySet<string>;
  /** Stems of longer words, and pairs of characters in dense scripts. */
  readonly content: ReadonlySet<string>;
  /** Both, and the shorter words. */
  readonly all: ReadonlySet<string>;
}

/** Scripts without spaces between words, and Hangul, whose words are short and inflected. */
const DENSE =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}';
const LETTER = `(?![${DENSE}])[\\p{L}\\p{M}\\d]`;
const NUMBER = "(?:\\d{1,3}(?: \\d{3})+(?!\\d)|\\d+)(?:[.,'’]\\d+)*";
const TOKEN = new RegExp(
  `(?<dense>[${DENSE}]+)|(?<number>${NUMBER})(?:st|nd|rd|th|er|e)?(?!\\d|${LETTER})|(?:${LETTER})+`,
  'gu',
);
/** At least four letters. */
const CONTENT = /^.{4}/su;
/** Behind these a capital letter is no sign of a name. */
const OPENS_SENTENCE = /(?:^|[.:!?…\n])[\s"'“”„«»‘’()[\]*_#>-]*$/u;
const ENDING = /(?:ing|ed|es|en|[sned])$/;
const SLAVIC_ENDING =
  /(?:ами|ями|[оеыи]го|[оеыи]му|[ыи]ми|[аеёиоуыэюя]?[йе]|[аяое]м|[ая]х|[ое]в|ал[аои]?|ся|[аоуыэюяь])$/;
const MONTHS: ReadonlySet<string> = new Set(words.months.split(' '));
/** Words before names that are no names. */
const OPENINGS: ReadonlySet<string> = new Set(words.openings.split(' '));
const MAGNITUDES = Object.entries(words.magnitudes).map(
  ([form, power]) => [new RegExp(`^ ?${form}`, 'iu'), power] as const,
);

const DISTANCES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** Reads texts of a bounded length each, because the time of a long run of marks grows with its square. */
export function statementOf(...texts: readonly string[]): Statement {
  const plain = withAsciiDigits(texts.map((text) => text.normalize('NFKC')).join('\n'));
  const [facts, content, all] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { index, 0: written, groups: { dense, number } = {} } of plain.matchAll(TOKEN)) {
    const behind = plain.slice(index + written.length, index + written.length + 20);
    const word = written.toLowerCase();
    if (number !== undefined) facts.add(valueOf(number, behind));
    else if (dense !== undefined) for (const pair of pairsOf(dense)) content.add(pair);
    else {
      all.add(stemOf(word));
      if (isFact(written, plain.slice(Math.max(0, index - 12), index), behind)) facts.add(stemOf(word));
      if (CONTENT.test(word)) content.add(stemOf(word));
    }
  }
  return { facts, content, all: new Set([...facts, ...content, ...all]) };
}

/**
 * Whether a source has all facts of a statement, and half of its longer words. More than half where there is nothing else, because half of two words is one.
 */
export function holds(source: Statement, { facts, content }: Statement): boolean {
  const least = facts.size === 0 ? content.size + 1 : content.size;
  return shared(facts, source) === facts.size && 2 * shared(content, source) >= least;
}

/** How much of a statement a source has, to choose between passages. */
export function overlap(source: Statement, { facts, content }: Statement): number {
  return 2 * shared(facts, source) + shared(content, source);
}

function shared(some: ReadonlySet<string>, { all }: Statement): number {
  return [...some].filter((each) => all.has(each)).length;
}

/** Digits of any script as those of ASCII: the digits of a script follow each other, from 0 to 9. */
function withAsciiDigits(text: string): string {
  const before = (digit: string, distance: number) => String.fromCodePoint((digit.codePointAt(0) ?? 0) - distance);
  const placeOf = (digit: string) => DISTANCES.findIndex((distance) => !/\p{Nd}/u.test(before(digit, distance)));
  return text.replace(/[^\P{Nd}\d]/gu, (digit) => String(placeOf(digit)));
}

/** A number, times the word behind it. A separator before three digits groups them, also where it is a decimal point: `1.234` is 1,234. */
function valueOf(written: string, behind: string): string {
  const plain = written.replace(/(?<!^0)[.,'’ ](?=\d{3}(?!\d))/g, '').replace(',', '.');
  const power = MAGNITUDES.find(([form]) => form.test(behind))?.[1] ?? 0;
  const value = Number((Number(plain) * 10 ** power).toPrecision(15));
  return plain.length > 15 || Number.isNaN(value) ? plain : String(value);
}

function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.length === 1 ? characters : characters.slice(1).map((each, index) => `${characters[index]}${each}`);
}

/** Words with digits, months, and words with a capital letter: the first of a sentence only where another one follows. */
function isFact(written: string, before: string, behind: string): boolean {
  const word = written.toLowerCase();
  if (/\d/.test(written) || MONTHS.has(word)) return true;
  if (!/^\p{Lu}./u.test(written)) return false;
  return !OPENS_SENTENCE.test(before) || (CONTENT.test(word) && !OPENINGS.has(word) && /^ \p{Lu}\p{L}/u.test(behind));
}

/** A word without a common ending, so that forms of one word meet: rough, and the same for both sides. */
function stemOf(word: string): string {
  const stem = word.replace(/\p{sc=Cyrl}/u.test(word) ? SLAVIC_ENDING : ENDING, '');
  return stem.length >= 3 ? stem : word;
}
