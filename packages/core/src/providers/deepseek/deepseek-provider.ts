import { z } from 'zod';
import { modelName, outputLimit, systemText } from '../../provider-kit/call-fields.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { defineProvider, type OptionsOf, wholeNumber } from '../../provider-kit/define-provider.js';
import { messagesAnswer, SEARCH_INSTRUCTION } from '../../provider-kit/messages-answer.js';
import type { Provider, ProviderQuestion, ProviderSettings } from '../../provider-kit/provider.js';
import { peakFee } from './deepseek-peak-fee.js';
import { deepseekExtractPort, deepseekSearchPort } from './deepseek-ports.js';
import rows from './models.json' with { type: 'json' };

/** The tool of DeepSeek's guide (web_tools, read 2026-11-26), and the tool that DeepSeek's client sends (deepseek-harness@47f9438, 2026-11-26). */
const SEARCH_TOOLS = ['deepseek_web_search', 'web_search_20250305'] as const;

/** The body of `POST /anthropic/v1/messages` without its messages (DeepSeek's Messages reference and thinking guide, read 2026-11-22). */
function deepseekRequest(call: ProviderQuestion, options: OptionsOf<typeof ownSettings>): object {
  const { searchTool, effort, maxSearches, maxOutputTokens } = options;
  const name = searchTool === 'web_search_20250305' ? 'web_search' : searchTool;
  const thinking =
    effort === 'none'
      ? { thinking: { type: 'disabled' } }
      : { thinking: { type: 'enabled' }, output_config: { effort } };
  return {
    model: modelName(call.model),
    max_tokens: outputLimit(call, maxOutputTokens),
    system: systemText(call, SEARCH_INSTRUCTION),
    tools: [{ type: searchTool, name, max_uses: maxSearches }],
    ...thinking,
  };
}

/** Where DeepSeek differs from the common meaning of statuses (errors quoted in public issues up to 2026-06, read 2026-11-22). */
const DEEPSEEK_ERRORS: ErrorTable = [
  // All errors have the code `invalid_request_error`; only their messages distinguish them (medium confidence for the Messages endpoint).
  { status: 400, message: /content exists risk/i, reason: 'query_rejected' },
];

/** The settings of `deepseek()`. */
export interface DeepseekSettings extends ProviderSettings {
  /** How thoroughly a model thinks; `none` turns thinking off. DeepSeek's own default is `high` (2026-11). Default `low`. */
  readonly effort?: 'none' | 'low' | 'high' | 'max' | undefined;
  /** The search tool: `deepseek_web_search` of DeepSeek's guide, or the tool that DeepSeek's client sends (2026-11-26). Default `deepseek_web_search`. */
  readonly searchTool?: (typeof SEARCH_TOOLS)[number] | undefined;
  /** Most searches of one request, 1 to 20. Each search is billed, and so are the pages it finds. Default 3. */
  readonly maxSearches?: number | undefined;
  /** Most tokens of one request's output, thoughts included, 1,024 to 65,536: a longer answer fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const EFFORTS = ['none', 'low', 'high', 'max'] as const;

const ownSettings = {
  effort: z.enum(EFFORTS, `one of ${EFFORTS.join(', ')}`).default('low'),
  searchTool: z.enum(SEARCH_TOOLS, `one of ${SEARCH_TOOLS.join(', ')}`).default('deepseek_web_search'),
  maxSearches: wholeNumber(1, 20).default(3),
  maxOutputTokens: wholeNumber(1_024, 65_536).default(8_192),
};

/**
 * DeepSeek (deepseek.com): answers by its Messages API in Anthropic's form with web search, searches and pages by its tools.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const deepseek: (settings: DeepseekSettings) => Provider = defineProvider({
  id: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  models: rows,
  byName: ['answer'],
  settings: ownSettings,
  ports: (connection, options) => ({
    answer: messagesAnswer(
      { ...connection, baseUrl: `${connection.baseUrl}/anthropic` },
      { errors: DEEPSEEK_ERRORS, request: (call) => deepseekRequest(call, options), otherFees: peakFee },
    ),
    search: deepseekSearchPort(connection),
    extract: deepseekExtractPort(connection),
  }),
});
