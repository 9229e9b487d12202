import { z } from 'zod';
import { messagesAnswer } from '../../provider-kit/messages-answer.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { DEEPSEEK_ERRORS } from './deepseek-errors.js';
import { DEEPSEEK_MODELS, peakFee } from './deepseek-models.js';
import { deepseekRequest, SEARCH_TOOLS } from './deepseek-request.js';

export interface DeepseekSettings extends ProviderSettings {
  /** How thoroughly a model thinks; `none` turns thinking off. DeepSeek's own default is `high` (2026-11). Default `low`. */
  readonly effort?: 'none' | 'low' | 'high' | 'max' | undefined;
  /** The tool that searches: the one of DeepSeek's guide, or the one that its own client sends (2026-11-26). Default `deepseek_web_search`. */
  readonly searchTool?: (typeof SEARCH_TOOLS)[number] | undefined;
  /** Most searches of one request, 1 to 20. Each is billed, and so is what it finds. Default 3. */
  readonly maxSearches?: number | undefined;
  /** Most tokens of one request's output, thoughts included, 1,024 to 65,536: a longer answer fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const EFFORTS = ['none', 'low', 'high', 'max'] as const;
const SEARCHES = 'a whole number from 1 to 20';
const OUTPUT_TOKENS = 'a whole number from 1024 to 65536';

const deepseekSettings = z.strictObject({
  ...commonSettings('https://api.deepseek.com/anthropic', DEEPSEEK_MODELS),
  effort: z.enum(EFFORTS, `one of ${EFFORTS.join(', ')}`).default('low'),
  searchTool: z.enum(SEARCH_TOOLS, `one of ${SEARCH_TOOLS.join(', ')}`).default('deepseek_web_search'),
  maxSearches: z.int(SEARCHES).min(1, SEARCHES).max(20, SEARCHES).default(3),
  maxOutputTokens: z.int(OUTPUT_TOKENS).min(1_024, OUTPUT_TOKENS).max(65_536, OUTPUT_TOKENS).default(8_192),
});

/**
 * DeepSeek (deepseek.com), by its Messages API in Anthropic's form with web search.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function deepseek(settings: DeepseekSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(deepseekSettings, settings, 'deepseek');
  const answer = messagesAnswer(connection, {
    errors: DEEPSEEK_ERRORS,
    request: (call) => deepseekRequest(call, options),
    otherFees: peakFee,
  });
  return { id: 'deepseek', name: 'DeepSeek', models, limits, answer };
}
