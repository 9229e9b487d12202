import words from './words.json' with { type: 'json' };

/** Digits of any script as those of ASCII. */
export function withAsciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}\d]/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    // The digits of a script follow each other, from 0 to 9.
    while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return String(value);
  });
}

/** Words that multiply the number before them by a power of ten, in the languages that write most pages. */
const MAGNITUDES = words.magnitudes.map((each) => ({ ...each, form: new RegExp(`^${each.words}`, 'u') }));
const LONGEST_MAGNITUDE = 16;

/** What a written number can mean: `1,234` is 1234, or 1.234 in other countries. @param behind the lower-case text after it. */
export function readingsOf(written: string, behind: string): readonly string[] {
  const plain = written.replace(/[ '’]/g, '');
  const readings = [...new Set([...wholeReadings(plain), ...decimalReadings(plain)])];
  const values = readings.length === 0 ? [plain] : readings;
  const word = behind.slice(0, LONGEST_MAGNITUDE).trimStart();
  const powers = MAGNITUDES.find(({ form }) => form.test(word))?.powers;
  if (powers === undefined) return values;
  return values.flatMap((value) =>
    powers.map((power) => String(Number((Number(value) * 10 ** power).toPrecision(12)))),
  );
}

function wholeReadings(plain: string): readonly string[] {
  const isWhole = /^\d+$/.test(plain) || /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(plain);
  return isWhole ? [withoutZeros(plain.replace(/[.,]/g, ''))] : [];
}

function decimalReadings(plain: string): readonly string[] {
  const [, whole, fraction] =
    /^(\d+|\d{1,3}(?:,\d{3})+)\.(\d+)$/.exec(plain) ?? /^(\d+|\d{1,3}(?:\.\d{3})+),(\d+)$/.exec(plain) ?? [];
  if (whole === undefined || fraction === undefined) return [];
  const rest = fraction.replace(/0+$/, '');
  return [withoutZeros(whole.replace(/[.,]/g, '')) + (rest === '' ? '' : `.${rest}`)];
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
