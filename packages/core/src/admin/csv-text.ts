/**
 * Matches before a possible formula: at the beginning, and after every possible end of a cell, because a spreadsheet may split lines by
 * semicolons or tabs. Spreadsheets may ignore leading spaces and quotes. East Asian ones read full-width signs like plain signs.
 */
const BEFORE_FORMULA = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;\t\r\n])[\s"]*)/g;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/**
 * A text as a cell of CSV (RFC 4180). Texts come from callers, and an operator may open them in a spreadsheet: an apostrophe before a possible formula
 * keeps the spreadsheet from running it. Do not use it for numbers.
 */
export function csvText(text: string): string {
  const harmless = text.replace(BEFORE_FORMULA, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
