import { z } from 'zod';
import { type NanoUsd, parseUsd, reportedUsd } from '../../base/money.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import type { OutcomeCost } from '../../provider-kit/provider.js';
import { optionalAmount, optionalNumber, optionalText } from '../../provider-kit/reply-fields.js';
import { SONAR } from './perplexity-models.js';

/** What tools other than web search cost per use (docs.perplexity.ai, read 2026-11-20; their names in replies: low confidence). */
const TOOL_FEES: readonly (readonly [name: RegExp, fee: NanoUsd])[] = [
  [/fetch/, parseUsd('0.0005')],
  [/people|finance/, parseUsd('0.005')],
  [/sandbox/, parseUsd('0.03')],
];

const toolUse = z.object({ invocation: optionalNumber, cost_usd: optionalAmount }).nullish().catch(null);

/** `usage` of the Agent API. */
export const agentUsage = z
  .object({
    input_tokens: optionalNumber,
    output_tokens: optionalNumber,
    input_tokens_details: z.object({ cached_tokens: optionalNumber }).nullish().catch(null),
    tool_calls_details: z.record(z.string(), toolUse).nullish().catch(null),
    // Some replies hold a plain number.
    cost: z
      .union([z.object({ total_cost: optionalAmount, currency: optionalText }), z.number()])
      .nullish()
      .catch(null),
  })
  .nullish()
  .catch(null);

/**
 * The total is taken without change, since components are rounded and leave out the cache. Usage is reported only for Sonar,
 * whose rates are the ones in our price rows.
 */
export function agentCost(usage: z.output<typeof agentUsage>, servedModel: string | null | undefined): OutcomeCost {
  const { cost } = usage ?? {};
  const reported = typeof cost === 'object' ? totalIfUsd(cost) : cost;
  if ((servedModel ?? SONAR) !== SONAR) return outcomeCost(reported);
  const { search_web: searches, ...tools } = usage?.tool_calls_details ?? {};
  return outcomeCost(reported, {
    inputTokens: usage?.input_tokens,
    cachedInputTokens: usage?.input_tokens_details?.cached_tokens,
    outputTokens: usage?.output_tokens,
    searches: searches?.invocation,
    otherFees: feesOf(tools),
  });
}

function totalIfUsd(cost: { total_cost?: unknown; currency?: string | null | undefined } | null): unknown {
  return (cost?.currency ?? 'USD') === 'USD' ? cost?.total_cost : undefined;
}

function feesOf(tools: Readonly<Record<string, z.output<typeof toolUse>>>): NanoUsd | undefined {
  const fees = Object.entries(tools).map(([name, use]) => {
    const [, fee = 0n] = TOOL_FEES.find(([pattern]) => pattern.test(name)) ?? [];
    return reportedUsd(use?.cost_usd) ?? fee * BigInt(Math.max(0, Math.ceil(use?.invocation ?? 0)));
  });
  return fees.length === 0 ? undefined : fees.reduce((sum, fee) => sum + fee);
}
