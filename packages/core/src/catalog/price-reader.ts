import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import { formatUsd, type NanoUsd, parseUsd, readUsd } from '../base/money.js';
import { describeValue } from '../base/options/parse-options.js';

/** The bounds of a written figure, both included. */
export interface PriceBounds {
  readonly least: NanoUsd;
  /** A higher figure has a wrong unit (a price per million in a field per request), and would refuse or overcharge every caller. */
  readonly most: NanoUsd;
}
export const PER_REQUEST: PriceBounds = { least: 0n, most: parseUsd('10') };
export const PER_MILLION: PriceBounds = { least: 0n, most: parseUsd('1000') };
/** The estimates of a dynamic price are never zero. A free model has the flat price "0". */
export const ESTIMATE: PriceBounds = { least: 1n, most: PER_REQUEST.most };

/** Reads written figures and collects their problems, so that a host sees all problems at once. */
export interface PriceReader {
  problem(problem: ConfigurationProblem): void;
  /** A problem of a value. */
  wrong(path: string, value: unknown, expected: string): void;
  /** The amount; 0 after a problem. */
  usd(text: unknown, path: string, bounds: PriceBounds): NanoUsd;
  /** `null` for an absent amount. */
  optionalUsd(text: unknown, path: string, bounds: PriceBounds): NanoUsd | null;
  /** The beginning of an ISO date in UTC; `-Infinity` for an absent date, `Infinity` after a problem. */
  dateMs(text: unknown, path: string): number;
  /** @throws ConfigurationError if there were problems. */
  finish(): void;
}

export function createPriceReader(): PriceReader {
  const problems: ConfigurationProblem[] = [];
  const reader: PriceReader = {
    problem: (problem) => void problems.push(problem),
    wrong: (path, value, expected) => reader.problem({ path, found: describeValue(value), expected }),
    usd(text, path, { least, most }) {
      const amount = typeof text === 'string' && !text.startsWith('-') ? readUsd(text) : undefined;
      if (amount !== undefined && amount >= least && amount <= most) return amount;
      const range = `from "${formatUsd(least)}" to "${formatUsd(most)}"`;
      const expected = `a decimal string of US dollars ${range} with at most 9 decimals, such as "0.005"`;
      reader.wrong(path, text, expected);
      return 0n;
    },
    optionalUsd: (text, path, bounds) => (text === undefined ? null : reader.usd(text, path, bounds)),
    dateMs(text, path) {
      if (text === undefined) return Number.NEGATIVE_INFINITY;
      const startMs = typeof text === 'string' && ISO_DATE.test(text) ? Date.parse(text) : Number.NaN;
      // The comparison finds invalid days such as February 30, which Date.parse moves into the next month.
      if (!Number.isNaN(startMs) && new Date(startMs).toISOString().slice(0, 10) === text) return startMs;
      reader.wrong(path, text, 'an ISO date such as "2027-01-01"');
      return Number.POSITIVE_INFINITY;
    },
    finish() {
      if (problems.length > 0) throw new ConfigurationError(problems);
    },
  };
  return reader;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
