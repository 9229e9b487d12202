import { SEARCH_INSTRUCTION } from '../../provider-kit/messages-answer.js';
import type { AnswerCall } from '../../provider-kit/provider.js';
import { anthropicSearch } from './anthropic-search.js';

export interface AnthropicOptions {
  readonly effort: string;
  readonly maxSearches: number;
  readonly maxOutputTokens: number;
  readonly userLocation?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The body of `POST /v1/messages` without its messages (as documented 2026-11-20). */
export function anthropicRequest({ model, search }: AnswerCall, options: AnthropicOptions): object {
  const { effort, maxSearches, maxOutputTokens, userLocation } = options;
  return {
    model: model.slug.slice('anthropic/'.length),
    max_tokens: maxOutputTokens,
    system: SEARCH_INSTRUCTION,
    tools: [
      {
        // Newer versions of the tool search inside of code by default, and then give no citations.
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: maxSearches,
        ...(userLocation === undefined ? {} : { user_location: { type: 'approximate', ...userLocation } }),
        ...(search && anthropicSearch(search)),
      },
    ],
    output_config: { effort },
    // The rates of our price rows.
    service_tier: 'standard_only',
  };
}
