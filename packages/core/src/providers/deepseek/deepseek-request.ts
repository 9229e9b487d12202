import { SEARCH_INSTRUCTION } from '../../provider-kit/messages-answer.js';
import type { AnswerCall } from '../../provider-kit/provider.js';

export interface DeepseekOptions {
  readonly effort: string;
  readonly maxSearches: number;
  readonly maxOutputTokens: number;
}

/** The body of `POST /anthropic/v1/messages` without its messages (DeepSeek's Messages reference and thinking guide, read 2026-11-22). */
export function deepseekRequest({ model }: AnswerCall, options: DeepseekOptions): object {
  const { effort, maxSearches, maxOutputTokens } = options;
  const thinking =
    effort === 'none'
      ? { thinking: { type: 'disabled' } }
      : { thinking: { type: 'enabled' }, output_config: { effort } };
  return {
    model: model.slug.slice('deepseek/'.length),
    max_tokens: maxOutputTokens,
    system: SEARCH_INSTRUCTION,
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxSearches }],
    ...thinking,
  };
}
