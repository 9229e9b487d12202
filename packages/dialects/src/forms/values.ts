import { oneLine } from '@searchgate/core/extensions';
import { invalid } from '../openai/read-messages.js';

// Values that several services write alike.

const PERIODS = ['day', 'week', 'month', 'year'];

/** `day` to `year`, also by the first letter. @throws RequestError `invalid_field` */
export function period(value: unknown, name: string): string {
  const found = PERIODS.find((each) => each === value || each[0] === value);
  if (found === undefined) throw invalid(name, value, PERIODS.map((each) => `"${each}"`).join(', '));
  return found;
}

/** The day of a date with or without a time. Other values are returned unchanged: the path's own check refuses them. */
export function day(value: unknown): unknown {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) ? value.slice(0, 10) : value;
}

/** Whether a field that also takes words is on. @throws RequestError `invalid_field` */
export function isOn(value: unknown, name: string, words: readonly string[]): boolean {
  if (typeof value !== 'boolean' && !words.includes(value as string))
    throw invalid(name, value, `true, false or ${words.map((word) => `"${word}"`).join(' or ')}`);
  return value !== false;
}

/** Refuses all but one of these values, of which none but `news` asks for anything. */
export function only(...values: readonly unknown[]) {
  return (value: unknown, name: string): 'news' | undefined => {
    if (!values.includes(value)) throw invalid(name, value, values.map((each) => JSON.stringify(each)).join(' or '));
    return value === 'news' ? value : undefined;
  };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The code of a country that is given by its code or its English name. @throws RequestError `invalid_field` */
export function countryCode(value: unknown, name: string): string {
  const given = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const code = CODES.find((each) => {
    const known = each.toLowerCase() === given || given.length > 2 ? NAMES.of(each) : undefined;
    return known !== undefined && (given.length === 2 || known.toLowerCase() === given);
  });
  if (code === undefined) throw invalid(name, value, 'a country, such as "germany" or "DE"');
  // Some old codes have the name of a newer code: DD is Germany too.
  return new Intl.Locale('und', { region: code }).region ?? code;
}

/** The beginning of a text, without half a character at its end. @param most in UTF-16 code units. Default: the whole text. */
export function beginning(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') : text;
}

/** An event without a name. */
export function dataEvent(data: string): string {
  return `data: ${oneLine(data)}\n\n`;
}
