import { z } from 'zod';
import { looseList, optionalText } from '../../provider-kit/reply-fields.js';
import { finishReasonOf, responsesItem, responsesReply } from '../../provider-kit/responses-reply.js';
import type { Source } from '../../text/collect-citations.js';
import { citedAnswer } from './perplexity-citations.js';
import { agentCost, agentUsage } from './perplexity-cost.js';
import type { PerplexityReply } from './perplexity-reply.js';

const page = z.object({ url: optionalText, title: optionalText, snippet: optionalText });
const result = page.extend({ id: z.union([z.number(), z.string()]).nullish().catch(null) });

/** Of `search_results` and `people_search_results`; `undefined` when they cannot be read. */
export const searchResults = looseList(result).nullish().catch(undefined);

const outputItem = responsesItem.extend({
  results: searchResults,
  /** Of `fetch_url_results`. */
  contents: looseList(page).nullish().catch(null),
});

type OutputItem = z.output<typeof outputItem>;

/** Steps that find pages, with ids that markers name (people: perplexityai/api-platform-developers@228c88d, read 2026-11-26). */
export const FINDING_TYPES: readonly unknown[] = ['search_results', 'people_search_results'];

/** Steps that ground an answer; the last one has no addresses to cite. */
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
      ...(isGrounded(items) ? citedAnswer(reply, sourcesOf(items)) : { text: '', sources: null }),
      cost: agentCost(usage, model),
    };
  });

/** A search whose results cannot be read does not count: its citations would be lost without notice. */
function isGrounded(items: readonly OutputItem[]): boolean {
  const isUnreadable = ({ type, results }: OutputItem) => FINDING_TYPES.includes(type) && results === undefined;
  return items.some(({ type }) => GROUNDING_TYPES.includes(type ?? '')) && !items.some(isUnreadable);
}

/**
 * Search results first, under the ids that markers name; then pages that were fetched, which no marker names. Whether ids stay
 * unique over several searches of one run is not documented (2026-11-20). An id that comes again keeps its first meaning, where no annotation
 * names the page.
 */
function sourcesOf(items: readonly OutputItem[]): Source[] {
  const found = items.flatMap(({ type, results }) => (FINDING_TYPES.includes(type) ? (results ?? []) : []));
  const fetched = items.flatMap(({ type, contents }) => (type === 'fetch_url_results' ? (contents ?? []) : []));
  return [...found, ...fetched.map((source) => ({ ...source, id: null }))];
}
