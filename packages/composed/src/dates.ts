import words from './words.json' with { type: 'json' };

/** A date as it is written: parts may be missing. */
interface WrittenDate {
  readonly year?: number | undefined;
  readonly month: number;
  readonly day?: number | undefined;
}

/** A date, with what it can mean: `05/04/2021` is of April or of May. */
type Readings = readonly WrittenDate[];

/** The number of a month by its lower-case name. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  words.months.flatMap((line, index) => line.split(' ').map((name): [string, number] => [name, index + 1])),
);

const MONTH = `(?<month>${[...MONTHS.keys()].toSorted((a, b) => b.length - a.length).join('|')})(?!\\p{L})\\.?`;
const DAY = '(?<!\\d)(?<day>\\d{1,2})';
const YEAR = '(?<year>\\d{4})(?!\\d)';
const ORDINAL = '(?:st|nd|rd|th|er|º|\\.)?';
const OF = '(?:(?:of|de|del) )?';
const FORMS = [
  `(?<!\\d)${YEAR}(?:[-/.]|[年년] ?)(?<number>\\d{1,2})(?:[-/.]|[月월] ?)(?<day>\\d{1,2})(?!\\d)`,
  `(?<!\\d)(?<first>\\d{1,2})[-/.](?<second>\\d{1,2})[-/.]${YEAR}`,
  `${DAY}${ORDINAL} ${OF}${MONTH}(?:,? ${OF}${YEAR})?`,
  `(?<!\\p{L})${MONTH} ${DAY}(?:st|nd|rd|th)?(?!\\d|[:.,]\\d)(?:,? ${YEAR})?`,
  `(?<!\\p{L})${MONTH},? ${OF}${YEAR}`,
  `(?<!\\d)(?<number>\\d{1,2})[月월] ?(?<day>\\d{1,2})[日일]`,
].map((form) => new RegExp(form, 'giu'));

/** Reads the dates of a text. @returns also the text with spaces in place of them. */
export function datesIn(text: string): { readonly dates: readonly Readings[]; readonly rest: string } {
  const dates: Readings[] = [];
  let rest = text;
  for (const form of FORMS)
    rest = rest.replace(form, (written: string, ...matched: unknown[]) => {
      const readings = readingsOf(matched.at(-1) as Groups);
      if (readings.length === 0) return written;
      dates.push(readings);
      return ' '.repeat(written.length);
    });
  return { dates, rest };
}

type Groups = Readonly<Record<string, string | undefined>>;

function readingsOf({ year: inYear, month: name, number, day: onDay, first, second }: Groups): Readings {
  const [year, day, one, two] = [inYear, onDay, first, second].map(numberOf);
  const month = MONTHS.get(name?.toLowerCase() ?? '') ?? Number(number);
  const either = [
    { year, month: two ?? 0, day: one },
    { year, month: one ?? 0, day: two },
  ];
  return (one === undefined ? [{ year, month, day }] : either).filter(isDate);
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function isDate({ month, day = 1 }: WrittenDate): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** The dates of a source, to look dates up in. */
export class KnownDates {
  readonly #keys = new Set<string>();
  /** Everything that is a part of a date. */
  readonly numbers = new Set<string>();

  add(readings: Readings): void {
    for (const { year, month, day } of readings) {
      for (const key of [`${month}`, `${month}-${day}`, `${year}-${month}`, `${year}-${month}-${day}`])
        this.#keys.add(key);
      for (const part of [year, month, day]) if (part !== undefined) this.numbers.add(String(part));
    }
  }

  hasMonth(month: number): boolean {
    return this.#keys.has(String(month));
  }

  /** @param years looked up for a day that the source names without its year. */
  has(readings: Readings, years: ReadonlySet<string>): boolean {
    return readings.some(({ year, month, day }) => {
      if (year === undefined) return this.#keys.has(`${month}-${day}`);
      const isWhole = this.#keys.has(day === undefined ? `${year}-${month}` : `${year}-${month}-${day}`);
      return isWhole || (this.#keys.has(`undefined-${month}-${day}`) && years.has(String(year)));
    });
  }
}
