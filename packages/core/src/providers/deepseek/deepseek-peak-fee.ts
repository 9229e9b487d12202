import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { FeeInput } from '../../provider-kit/messages-answer.js';
import rows from './models.json' with { type: 'json' };

const ROWS = new Map(Object.entries(rows.answer.models).map(([name, row]) => [`deepseek/${name}`, row]));

/** Hours of the day (UTC) from Monday to Friday: first hour included, second hour excluded. */
const PEAK_HOURS = [
  [1, 4],
  [6, 10],
] as const;

/**
 * The cost of a request beyond the off-peak rates of its row: as much again at peak. A reply without a date counts as a reply at peak. Public holidays
 * in China are off-peak too, but the gateway does not know their calendar (in favor of the operator). A model that the host added has the host's price alone.
 */
export function peakFee({ slug, tokens, date }: FeeInput): NanoUsd {
  const [rates] = ROWS.get(slug)?.prices ?? [];
  if (rates === undefined || !isPeak(Date.parse(date ?? ''))) return 0n;
  return fromTokenParts(
    tokenPart(tokens.input - tokens.cachedInput, parseUsd(rates.perMillionInputTokens)) +
      tokenPart(tokens.cachedInput, parseUsd(rates.perMillionCachedInputTokens)) +
      tokenPart(tokens.output, parseUsd(rates.perMillionOutputTokens)),
  );
}

function isPeak(repliedAtMs: number): boolean {
  if (Number.isNaN(repliedAtMs)) return true;
  const repliedAt = new Date(repliedAtMs);
  const [day, hour] = [repliedAt.getUTCDay(), repliedAt.getUTCHours()];
  return day >= 1 && day <= 5 && PEAK_HOURS.some(([from, to]) => hour >= from && hour < to);
}
