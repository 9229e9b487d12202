import { datesIn, KnownDates, MONTHS } from './dates.js';
import { readingsOf, withAsciiDigits } from './numbers.js';
import words from './words.json' with { type: 'json' };

/** Scripts without spaces between words, and Hangul, whose words are short and inflected. */
const DENSE =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}';
const NUMBER = `(?:\\d{1,3}(?: \\d{3})+(?!\\d)|\\d+)(?:[.,'’]\\d+)*(?!\\d|(?![${DENSE}])\\p{L})`;
const TOKEN = new RegExp(
  `(?<dense>[${DENSE}]+)|(?<number>${NUMBER})|(?<word>(?:(?![${DENSE}])[\\p{L}\\p{M}\\d])+)`,
  'gu',
);

/** At least four letters. */
const CONTENT = /^.{4}/su;
const ORDINAL = /^(\d+)(?:st|nd|rd|th|er|ère|e)$/i;
/** Behind these a capital letter is no sign of a name. */
const OPENS_SENTENCE = /(?:^|[.:!?…\n])[\s"'“”„«»‘’()[\]*_#>-]*$/u;
const OPENING_REACH = 12;

/** A statement to look up. */
interface Claim {
  /** Each by what it can mean. */
  readonly numbers: readonly (readonly string[])[];
  readonly dates: ReturnType<typeof datesIn>['dates'];
  /** Words with a capital letter inside of a sentence, and words with digits, in lower case. */
  readonly names: readonly string[];
  /** Stems of longer words, and pairs of characters in dense scripts. */
  readonly content: ReadonlySet<string>;
}

/** Reads a statement. @param isStart whether it begins a sentence. */
export function claimOf(text: string, isStart: boolean): Claim {
  const { dates, rest } = datesIn(normalized(text));
  const claim = { numbers: [] as (readonly string[])[], dates, names: [] as string[], content: new Set<string>() };
  for (const { kind, written, at } of tokensOf(rest)) {
    if (kind === 'number') claim.numbers.push(readingsOf(written, behind(rest, at + written.length)));
    else if (kind === 'dense') for (const pair of pairsOf(written)) claim.content.add(pair);
    else if (isNumbered(written)) claim.names.push(written.toLowerCase());
    else {
      const word = written.toLowerCase();
      if (isName(written) && (!opensSentence(rest, at, isStart) || opensName(rest, at + written.length, word)))
        claim.names.push(word);
      if (CONTENT.test(word)) claim.content.add(stemOf(word));
    }
  }
  return claim;
}

/** What a text of a source says. */
export class Facts {
  readonly #words = new Set<string>();
  readonly #numbers = new Set<string>();
  readonly #dates = new KnownDates();

  add(text: string): void {
    const { dates, rest } = datesIn(normalized(text));
    for (const date of dates) this.#dates.add(date);
    for (const { kind, written, at } of tokensOf(rest)) {
      if (kind === 'dense') for (const pair of pairsOf(written)) this.#words.add(pair);
      else if (kind === 'word') this.#words.add(stemOf(written.toLowerCase()));
      else for (const value of readingsOf(written, behind(rest, at + written.length))) this.#numbers.add(value);
    }
    for (const number of this.#dates.numbers) this.#numbers.add(number);
  }

  /**
   * Whether all numbers, dates and names of a statement, and half of its longer words, stand here. More than half of the words where there is nothing else, because
   * half of two words is one.
   */
  holds(claim: Claim): boolean {
    const { numbers, dates, names, content } = claim;
    const least = numbers.length + dates.length + names.length === 0 ? content.size + 1 : content.size;
    if (2 * this.#held(content) < least) return false;
    return (
      numbers.every((readings) => readings.some((value) => this.#numbers.has(value))) &&
      dates.every((date) => this.#dates.has(date, this.#numbers)) &&
      names.every((name) => this.#hasName(name))
    );
  }

  /** How much of a statement stands here, to choose between passages. */
  overlap({ numbers, dates, names, content }: Claim): number {
    const figures = numbers.filter((readings) => readings.some((value) => this.#numbers.has(value))).length;
    const days = dates.filter((date) => this.#dates.has(date, this.#numbers)).length;
    return 2 * (figures + days + names.filter((name) => this.#hasName(name)).length) + this.#held(content);
  }

  #held(content: ReadonlySet<string>): number {
    let held = 0;
    for (const word of content) if (this.#words.has(word)) held += 1;
    return held;
  }

  #hasName(name: string): boolean {
    const month = MONTHS.get(name);
    return this.#words.has(stemOf(name)) || (month !== undefined && this.#dates.hasMonth(month));
  }
}

/** What several texts say. */
export function factsOf(texts: readonly string[]): Facts {
  const facts = new Facts();
  for (const text of texts) facts.add(text);
  return facts;
}

interface Token {
  readonly kind: 'dense' | 'number' | 'word';
  readonly written: string;
  readonly at: number;
}

function* tokensOf(text: string): Generator<Token> {
  for (const { index: at, groups = {}, 0: written } of text.matchAll(TOKEN)) {
    const [, ordinal] = ORDINAL.exec(written) ?? [];
    if (ordinal !== undefined) yield { kind: 'number', written: ordinal, at };
    else if (groups['number'] !== undefined) yield { kind: 'number', written, at };
    else yield { kind: groups['dense'] === undefined ? 'word' : 'dense', written, at };
  }
}

/** Characters in their compatibility form, piece by piece: the time for a long run of marks grows with its square. */
function normalized(text: string): string {
  const parts = text.match(/[^]{1,200}(?!\p{M})|[^]{1,400}/gu) ?? [];
  return withAsciiDigits(parts.map((part) => part.normalize('NFKC')).join(''));
}

function behind(text: string, at: number): string {
  return text.slice(at, at + 20).toLowerCase();
}

function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.length === 1
    ? characters
    : characters.slice(1).map((each, index) => (characters[index] ?? '') + each);
}

function isNumbered(word: string): boolean {
  return /\d/.test(word) && /\p{L}/u.test(word);
}

function isName(word: string): boolean {
  return word.length > 1 && /^\p{Lu}/u.test(word);
}

function opensSentence(text: string, at: number, isStart: boolean): boolean {
  const before = text.slice(Math.max(0, at - OPENING_REACH), at);
  return OPENS_SENTENCE.test(before) && (isStart || at > OPENING_REACH || /[.:!?…\n]/.test(before));
}

/** Whether the first word of a sentence, which has a capital letter anyway, is followed by another name. */
function opensName(text: string, end: number, word: string): boolean {
  return CONTENT.test(word) && !OPENINGS.has(word) && /^ \p{Lu}\p{L}/u.test(text.slice(end, end + 4));
}

/** Longer words before names that are no names, in the larger languages of the Latin and the Cyrillic script. */
const OPENINGS: ReadonlySet<string> = new Set(words.openings.split(' '));

/** A word without a common ending, so that forms of one word meet: rough, and the same for both sides. */
function stemOf(word: string): string {
  const stem = word.replace(/\p{sc=Cyrl}/u.test(word) ? SLAVIC_ENDING : ENDING, '');
  return stem.length >= 3 ? stem : word;
}

const ENDING = /(?:ing|ed|es|en|[sned])$/;
const SLAVIC_ENDING =
  /(?:ами|ями|[оеыи]го|[оеыи]му|[ыи]ми|[аеёиоуыэюя]?[йе]|[аяое]м|[ая]х|[ое]в|ал[аои]?|ся|[аоуыэюяь])$/;
