/**
 * Before what a spreadsheet would read as a formula: at the beginning, and behind what it may take for the end of a cell, since it may split lines by
 * semicolons or tabs. It may pass over spaces and quotes. Signs of full width are taken for plain ones in East Asia.
 */
const BEFORE_FORMULA = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;\t\r\n])[\s"]*)/g;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/**
 * A text as a cell of CSV (RFC 4180). Texts come from others, and an operator may open them in a spreadsheet: what it would run as a formula gets an
 * apostrophe before it. Numbers need none of this.
 */
export function csvText(text: string): string {
  const harmless = text.replace(BEFORE_FORMULA, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
