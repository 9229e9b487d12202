import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Source,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { AnswerBody } from '@searchgate/core';

/** An answer that succeeds is complete, or ended by the limit of the call. */
export function finishOf({ truncated }: Pick<AnswerBody, 'truncated'>): LanguageModelV4FinishReason {
  return { unified: truncated ? 'length' : 'stop', raw: undefined };
}
export const FAILED: LanguageModelV4FinishReason = { unified: 'error', raw: undefined };

/** A gateway reports the cost of an answer, not its tokens. */
export const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Citations from `offset` on as sources. A source id is the answer's id and the number of the citation marker. */
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
 * `providerMetadata` of an answer: id in the ledger, provider, cost in USD, `grounding` where citations were checked. Some providers place their citation markers only at the end: then
 * `answer` is the text with markers, which differs from the streamed text.
 */
export function answerMetadata(body: AnswerBody, given: string): SharedV4ProviderMetadata {
  const { id, provider, usage, answer, grounding } = body;
  const whole = answer === given ? {} : { answer };
  return { searchgate: { answerId: id, provider, cost: usage.cost, ...(grounding && { grounding }), ...whole } };
}
