import { z } from 'zod';
import { type NanoUsd, parseUsd, reportedUsd } from '../../base/money.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import type { OutcomeCost } from '../../provider-kit/provider.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { finishReasonOf, plainTextOf, responsesItem, responsesReply } from '../../provider-kit/responses-reply.js';
import type { Source } from '../../text/collect-citations.js';
import { citedAnswer, type PerplexityReply } from './perplexity-citations.js';
import { SONAR } from './perplexity-models.js';

/** Fees per use of tools other than web search (docs.perplexity.ai, read 2026-11-20; the names of the tools in replies: low confidence). */
const TOOL_FEES: readonly (readonly [name: RegExp, fee: NanoUsd])[] = [
  [/fetch/, parseUsd('0.0005')],
  [/people|finance/, parseUsd('0.005')],
  [/sandbox/, parseUsd('0.03')],
];

const toolUse = optional.object({ invocation: optional.number, cost_usd: optional.amount });

/** `usage` of the Agent API. */
const agentUsage = optional.object({
  input_tokens: optional.number,
  output_tokens: optional.number,
  input_tokens_details: optional.object({ cached_tokens: optional.number }),
  tool_calls_details: optional.of(z.record(z.string(), toolUse)),
  // Some replies hold a plain amount.
  cost: optional.of(
    z.union([z.object({ total_cost: optional.amount, currency: optional.text }), z.number(), z.string()]),
  ),
});

/**
 * Takes the reported total without change, because its components are rounded and leave out the cache. Reports usage only for Sonar, whose rates the price
 * rows have.
 */
function agentCost(usage: z.output<typeof agentUsage>, servedModel: string | null | undefined): OutcomeCost {
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
  const fees = Object.entries(tools).flatMap(([name, use]) => {
    const [, fee = 0n] = TOOL_FEES.find(([pattern]) => pattern.test(name)) ?? [];
    const uses = use?.invocation ?? null;
    return reportedUsd(use?.cost_usd) ?? (uses === null ? [] : fee * BigInt(Math.max(0, Math.ceil(uses))));
  });
  return fees.length === 0 ? undefined : fees.reduce((sum, fee) => sum + fee);
}

const page = z.object(textFields('url', 'title', 'snippet'));
const result = page.extend({
  id: z.union([z.number(), z.string(), z.null().transform(() => undefined), z.transform(() => null)]).optional(),
});

/** Results of `search_results` and `people_search_results`; `null` if they cannot be read. */
export const searchResults = optional.list(result).or(z.transform(() => null));

const outputItem = responsesItem.extend({
  results: searchResults,
  /** Only of `fetch_url_results`. */
  contents: optional.of(looseList(page)),
});

type OutputItem = z.output<typeof outputItem>;

/** Steps that find pages. Citation markers name the ids of the pages (people: perplexityai/api-platform-developers@228c88d, read 2026-11-26). */
export const FINDING_TYPES: readonly unknown[] = ['search_results', 'people_search_results'];

/** Steps that ground an answer. `finance_results` have no addresses to cite. */
export const GROUNDING_TYPES: readonly string[] = [
  'search_results',
  'fetch_url_results',
  'people_search_results',
  'finance_results',
];

/** A reply of `POST /v1/agent` (as captured 2026-09-25). */
export const agentReply = responsesReply
  .extend({ output: looseList(outputItem).nullable(), usage: agentUsage })
  .transform((reply): PerplexityReply => {
    const { id, model, output, usage } = reply;
    const items = output ?? [];
    return {
      id,
      model,
      finishReason: finishReasonOf(reply),
      plainText: plainTextOf(reply),
      ...(isGrounded(items) ? citedAnswer(reply, sourcesOf(items)) : { text: '', sources: null }),
      cost: agentCost(usage, model),
    };
  });

/** An unreadable search result does not count as grounded: its citations would be lost without notice. */
function isGrounded(items: readonly OutputItem[]): boolean {
  const isUnreadable = ({ type, results }: OutputItem) => FINDING_TYPES.includes(type) && results === null;
  return items.some(({ type }) => GROUNDING_TYPES.includes(type ?? '')) && !items.some(isUnreadable);
}

/**
 * First search results with their ids, which citation markers name; then fetched pages, which no marker names. Whether ids stay unique over several
 * searches of a run is not documented (2026-11-20). A repeated id keeps its first meaning, unless an annotation names the page.
 */
function sourcesOf(items: readonly OutputItem[]): Source[] {
  const found = items.flatMap(({ type, results }) => (FINDING_TYPES.includes(type) ? (results ?? []) : []));
  const fetched = items.flatMap(({ type, contents }) => (type === 'fetch_url_results' ? (contents ?? []) : []));
  return [...found, ...fetched.map((source) => ({ ...source, id: null }))];
}
