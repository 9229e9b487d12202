import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Source,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { AnswerBody } from '@searchgate/core';

/** An answer that is given is always whole. */
export const FINISHED: LanguageModelV4FinishReason = { unified: 'stop', raw: undefined };
export const FAILED: LanguageModelV4FinishReason = { unified: 'error', raw: undefined };

/** A gateway reports what an answer cost, and no tokens. */
export const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Citations from `offset` on as sources. The id ends in the number of the marker, and is different for each answer. */
export function sourcesOf(
  answerId: string,
  citations: AnswerBody['citations'] = [],
  offset = 0,
): LanguageModelV4Source[] {
  return citations.slice(offset).map(({ title, url, snippet }, index) => {
    const number = offset + index + 1;
    const providerMetadata = { searchgate: { number, snippet } };
    return { type: 'source', sourceType: 'url', id: `${answerId}-${number}`, url, title, providerMetadata };
  });
}

/**
 * `providerMetadata` of an answer: its id in the ledger, who answered, and what it cost in USD. Some providers say only at the end where their
 * markers stand: then `answer` is the text with them, which is not the one that was streamed.
 */
export function answerMetadata({ id, provider, usage, answer }: AnswerBody, given: string): SharedV4ProviderMetadata {
  const whole = answer === given ? {} : { answer };
  return { searchgate: { answerId: id, provider, cost: usage.cost, ...whole } };
}
