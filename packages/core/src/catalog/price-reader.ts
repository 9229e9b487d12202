import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import { formatUsd, type NanoUsd, parseUsd, readUsd } from '../base/money.js';
import { describeValue } from '../base/options/parse-options.js';

/** The bounds of a written figure, both included. */
interface PriceBounds {
  readonly least: NanoUsd;
  /** A higher figure has a wrong unit (a price per million in a field per request), and would refuse or overcharge every caller. */
  readonly most: NanoUsd;
}
export const PER_REQUEST: PriceBounds = { least: 0n, most: parseUsd('10') };
export const PER_MILLION: PriceBounds = { least: 0n, most: parseUsd('1000') };
/** The estimates of a dynamic price are never zero. A free model has the flat price "0". */
export const ESTIMATE: PriceBounds = { least: 1n, most: PER_REQUEST.most };

export type PriceReader = ReturnType<typeof createPriceReader>;

/** Reads written figures and collects their problems, so that a host sees all problems at once. */
export function createPriceReader() {
  const problems: ConfigurationProblem[] = [];
  /** A problem of a value. */
  const wrong = (path: string, value: unknown, expected: string): void =>
    void problems.push({ path, found: describeValue(value), expected });

  /** The amount; 0 after a problem. */
  function usd(text: unknown, path: string, { least, most }: PriceBounds): NanoUsd {
    const amount = typeof text === 'string' && !text.startsWith('-') ? readUsd(text) : undefined;
    if (amount !== undefined && amount >= least && amount <= most) return amount;
    const range = `from "${formatUsd(least)}" to "${formatUsd(most)}"`;
    wrong(path, text, `a decimal string of US dollars ${range} with at most 9 decimals, such as "0.005"`);
    return 0n;
  }

  return {
    problems: problems as readonly ConfigurationProblem[],
    problem: (problem: ConfigurationProblem): void => void problems.push(problem),
    wrong,
    usd,
    /** `null` for an absent amount. */
    optionalUsd: (text: unknown, path: string, bounds: PriceBounds): NanoUsd | null =>
      text === undefined ? null : usd(text, path, bounds),
    /** The beginning of an ISO date in UTC; `-Infinity` for an absent date, `Infinity` after a problem. */
    dateMs(text: unknown, path: string): number {
      if (text === undefined) return Number.NEGATIVE_INFINITY;
      const startMs = typeof text === 'string' && ISO_DATE.test(text) ? Date.parse(text) : Number.NaN;
      // The comparison finds invalid days such as February 30, which Date.parse moves into the next month.
      if (!Number.isNaN(startMs) && new Date(startMs).toISOString().slice(0, 10) === text) return startMs;
      wrong(path, text, 'an ISO date such as "2027-01-01"');
      return Number.POSITIVE_INFINITY;
    },
    /** @throws ConfigurationError if there were problems. */
    finish(): void {
      if (problems.length > 0) throw new ConfigurationError(problems);
    },
  };
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
