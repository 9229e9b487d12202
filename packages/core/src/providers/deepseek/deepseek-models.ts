import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { FeeInput } from '../../provider-kit/messages-answer.js';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';

const PRICING_PAGE = 'https://api-docs.deepseek.com/quick_start/pricing';
/** Says that searches by the model cost the same since 2026-11-01 (a third party's reading of 2026-11-10). */
const SEARCH_PRICE = 'https://www.skills.sh/jpcaparas/skills/deepseek-search';

const COMMON = {
  features: ['citations', 'reasoning', 'streaming', 'multi_turn'],
  contextLength: 1_000_000,
  // No latency is published. A thinking model makes several searches (low confidence).
  timeoutMs: 120_000,
};
const PRICE = {
  kind: 'dynamic',
  // Per search that returned results; empty ones and errors are free.
  perSearch: '0.00075',
  source: `${PRICING_PAGE} ; ${SEARCH_PRICE}`,
  asOf: '2026-11-15',
  notes:
    'Off-peak rates; tokens cost twice as much on weekdays from 01:00 to 04:00 and 06:00 to 10:00 UTC. typical: two searches and a short answer at peak; ceiling: three and a long answer. Both are estimates.',
} as const;

const FLASH_RATES = tokenRates({ input: '0.15', cachedInput: '0.003', output: '0.6' });
const PRO_RATES = tokenRates({ input: '0.66', cachedInput: '0.022', output: '1.98' });
const FLASH = 'deepseek/deepseek-flash';

/** DeepSeek's answer models, cheapest first. The part of the slug behind the slash is DeepSeek's id of the model. */
export const DEEPSEEK_MODELS = modelRows(COMMON, [
  {
    slug: FLASH,
    name: 'DeepSeek Flash + web search',
    description: 'DeepSeek’s quick model with its own web search, for cheap cited answers.',
    prices: [{ ...PRICE, ...FLASH_RATES, typical: '0.008', ceiling: '0.04', confidence: 'medium' }],
  },
  {
    slug: 'deepseek/deepseek-v4-pro',
    name: 'DeepSeek V4 Pro + web search',
    description: 'DeepSeek’s larger model with its own web search, for questions that take analysis.',
    // Inferred: the larger model searches too, because the reference of the endpoint names both models.
    prices: [{ ...PRICE, ...PRO_RATES, typical: '0.027', ceiling: '0.15', confidence: 'low' }],
  },
]);

/** Hours of the day (UTC) from Monday to Friday: first hour included, second hour excluded. */
const PEAK_HOURS = [
  [1, 4],
  [6, 10],
] as const;

/**
 * The cost of a request beyond the off-peak rates of its row: as much again at peak. A reply without a date counts as a reply at peak. Public holidays
 * in China are off-peak too, but the gateway does not know their calendar (in favor of the operator).
 */
export function peakFee({ slug, tokens, date }: FeeInput): NanoUsd {
  if (!isPeak(Date.parse(date ?? ''))) return 0n;
  const rates = slug === FLASH ? FLASH_RATES : PRO_RATES;
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
