import { z } from 'zod';
import { outcomeCost } from '../compose-answer.js';
import { optionalAmount, optionalText } from '../reply-fields.js';
import type { PerplexityReply } from './perplexity-reply.js';

const part = z.object({ text: optionalText });
const choice = z.object({
  message: z.object({ content: z.union([z.string(), z.array(part)]).nullish() }),
});

/**
 * A reply of Sonar Chat Completions, ended 2026-09-27 and reshaped into the Agent API since: read in case the new address, or a
 * proxy before it, answers in the old shape.
 */
export const chatReply = z
  .object({
    id: optionalText,
    model: optionalText,
    choices: z.tuple([choice], z.unknown()),
    citations: z.array(z.string()).nullish(),
    search_results: z.array(z.object({ url: optionalText, title: optionalText, snippet: optionalText })).nullish(),
    usage: z
      .object({ cost: z.object({ total_cost: optionalAmount }).nullish().catch(null) })
      .nullish()
      .catch(null),
  })
  .transform(({ id, model, choices: [first], citations, search_results, usage }): PerplexityReply => {
    const { content } = first.message;
    const text = typeof content === 'string' ? content : (content ?? []).map((piece) => piece.text ?? '').join('');
    const hasSearched = Array.isArray(citations) || Array.isArray(search_results);
    return {
      id,
      model,
      completed: true,
      refused: false,
      text: text.replace(/^\s*<think>[^]*?<\/think>/, ''),
      // Markers count `citations`; titles and snippets come by the same url.
      sources: hasSearched ? [...(citations ?? []).map((url) => ({ url })), ...(search_results ?? [])] : null,
      cost: outcomeCost(usage?.cost?.total_cost),
    };
  });
