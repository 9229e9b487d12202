/** Formats amounts, counts and times for people. Amounts stay decimal texts, so no digit is lost. */

/** `"1234.5"` becomes `$1,234.50`. At least two decimals, and all given digits. */
export function usd(amount: string): string {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${sign}$${grouped}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** For people: two decimals, four below a cent. `"12.345"` is `$12.35`, `"0.00512"` is `$0.0051`, and less is `<$0.0001`. Show all digits beside it. */
export function shortUsd(amount: string): string {
  const value = Number(amount);
  const size = Math.abs(value);
  if (size === 0 || size >= 0.01) return usd(value.toFixed(2));
  if (size < 0.0001) return value < 0 ? '>-$0.0001' : '<$0.0001';
  return `${value < 0 ? '-' : ''}$${size.toFixed(4)}`;
}

/** An estimate: `"3.739285712"` is `$3.74`. */
export function aboutUsd(amount: string): string {
  const value = Number(Number(amount).toPrecision(3));
  return value < 100 ? usd(value.toFixed(9)) : `$${count(value)}`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function milliseconds(value: number | null): string {
  if (value === null) return '–';
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}

/** `2026-11-21 09:30` in UTC, like all times on the page. */
export function minute(isoTime: string): string {
  return isoTime.slice(0, 16).replace('T', ' ');
}

/** `09:30:12` in UTC. */
export function timeOfDay(isoTime: string): string {
  return isoTime.slice(11, 19);
}

/** The UTC day `YYYY-MM-DD`, `movedBy` days later. */
export function utcDay(date: Date, movedBy = 0): string {
  return new Date(date.getTime() + movedBy * 86_400_000).toISOString().slice(0, 10);
}

/** The time some hours before now, for a parameter; `''` for all times. */
export function sinceHours(hours: string, nowMs = Date.now()): string {
  return hours === '' ? '' : new Date(nowMs - Number(hours) * 3_600_000).toISOString();
}

/** `3 sources`, `1 source`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}
