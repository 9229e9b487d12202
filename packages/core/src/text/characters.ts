export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const QUOTE = 34;
export const HASH = 35;
export const OPEN_PARENTHESIS = 40;
export const CLOSE_PARENTHESIS = 41;
export const PLUS = 43;
export const MINUS = 45;
export const DOT = 46;
export const SLASH = 47;
export const COLON = 58;
export const LESS_THAN = 60;
export const GREATER_THAN = 62;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const BACK_QUOTE = 96;
export const OPEN_BRACE = 123;
export const EN_DASH = 0x2013;

/** The first index from `from` on whose character does not match; the length of the text if all match. */
export function skip(text: string, from: number, isOne: (code: number) => boolean): number {
  let index = from;
  while (index < text.length && isOne(text.charCodeAt(index))) index += 1;
  return index;
}

/** A space or a tab. */
export function isBlank(code: number): boolean {
  return code === SPACE || code === 9;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** An ASCII letter, in either case. */
export function isLetter(code: number): boolean {
  const lowerCase = code | 32;
  return lowerCase >= 97 && lowerCase <= 122;
}

/** A character that `\s` matches. */
export function isWhiteSpace(code: number): boolean {
  return code <= SPACE ? code === SPACE || (code >= 9 && code <= 13) : code >= 0xa0 && isWideSpace(code);
}

function isWideSpace(code: number): boolean {
  return (code >= 0x2000 && code <= 0x200a) || OTHER_SPACES.includes(code);
}

const OTHER_SPACES: readonly number[] = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];
