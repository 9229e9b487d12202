import { SEARCH_INSTRUCTION } from '../../provider-kit/messages-answer.js';
import type { AnswerCall } from '../../provider-kit/provider.js';

/** The tool of DeepSeek's guide (web_tools, read 2026-11-26), and the one that its own client sends (deepseek-harness@47f9438, 2026-11-26). */
export const SEARCH_TOOLS = ['deepseek_web_search', 'web_search_20250305'] as const;

export interface DeepseekOptions {
  readonly searchTool: (typeof SEARCH_TOOLS)[number];
  readonly effort: string;
  readonly maxSearches: number;
  readonly maxOutputTokens: number;
}

/** The body of `POST /anthropic/v1/messages` without its messages (DeepSeek's Messages reference and thinking guide, read 2026-11-22). */
export function deepseekRequest({ model }: AnswerCall, options: DeepseekOptions): object {
  const { searchTool, effort, maxSearches, maxOutputTokens } = options;
  const name = searchTool === 'web_search_20250305' ? 'web_search' : searchTool;
  const thinking =
    effort === 'none'
      ? { thinking: { type: 'disabled' } }
      : { thinking: { type: 'enabled' }, output_config: { effort } };
  return {
    model: model.slug.slice('deepseek/'.length),
    max_tokens: maxOutputTokens,
    system: SEARCH_INSTRUCTION,
    tools: [{ type: searchTool, name, max_uses: maxSearches }],
    ...thinking,
  };
}
