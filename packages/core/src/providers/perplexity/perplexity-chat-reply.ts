import { z } from 'zod';
import { chatCompletion, chatFinish, readChatCompletion } from '../../provider-kit/chat-completion.js';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import { optionalAmount } from '../../provider-kit/reply-fields.js';
import type { PerplexityReply } from './perplexity-reply.js';

/**
 * A reply of Sonar Chat Completions, ended 2026-09-27 and reshaped into the Agent API since: read in case the new address, or a
 * proxy before it, answers in the old shape.
 */
export const chatReply = chatCompletion
  .extend({
    usage: z
      .object({ cost: z.object({ total_cost: optionalAmount }).nullish().catch(null) })
      .nullish()
      .catch(null),
  })
  .transform(({ usage, ...reply }): PerplexityReply => {
    const { text, citations, searchResults } = readChatCompletion(reply);
    const hasSearched = citations !== null || searchResults !== null;
    return {
      id: reply.id,
      model: reply.model,
      finishReason: chatFinish(reply),
      text,
      // Markers count `citations`; titles and snippets come by the same url.
      sources: hasSearched ? [...(citations ?? []), ...(searchResults ?? [])] : null,
      cost: outcomeCost(usage?.cost?.total_cost),
    };
  });
