import { formatUsd, parseUsd } from '../../base/money.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { modelName } from '../../provider-kit/call-fields.js';
import { withPrices } from '../../provider-kit/credit-price.js';

/** Mistral's two search tools, which exclude each other. The premium tool also finds articles of news agencies. */
type MistralSearchTool = 'web_search' | 'web_search_premium';

/** USD per search. */
const FEE_OF: Readonly<Record<MistralSearchTool, string>> = { web_search: '0.03', web_search_premium: '0.05' };
/** The searches of a call, for the estimates. */
const TYPICAL_SEARCHES = 1n;
const MOST_SEARCHES = 6n;

/**
 * The version behind each `-latest` slug on 2026-11-20. Mistral's `-latest` names and their prices change with its releases, so requests name the version
 * whose rates the rows have.
 */
const VERSIONS: ReadonlyMap<string, string> = new Map([
  ['mistral/mistral-small-latest', 'mistral-small-2603'],
  ['mistral/mistral-medium-latest', 'mistral-medium-3-5'],
]);

/** Mistral's id of a model. */
export function versionOf(model: ModelRow): string {
  return VERSIONS.get(model.slug) ?? modelName(model);
}

/** The model with the fee of this search tool. */
export function atFeeOf(tool: MistralSearchTool, model: ModelRow): ModelRow {
  const extra = parseUsd(FEE_OF[tool]) - parseUsd(FEE_OF.web_search);
  const raised = (usd: string, searches: bigint) => formatUsd(parseUsd(usd) + extra * searches);
  return withPrices(model, {
    dynamic: (row) => ({
      ...row,
      perSearch: FEE_OF[tool],
      typical: raised(row.typical, TYPICAL_SEARCHES),
      ceiling: raised(row.ceiling, MOST_SEARCHES),
    }),
  });
}
