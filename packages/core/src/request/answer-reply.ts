import type { AnswerCitation, AnswerHead, AnswerListener, AnswerResult } from '../answer/answer.js';

export type { AnswerCitation, AnswerHead, AnswerListener };

import { formatUsd, type NanoUsd } from '../base/money.js';

/** The same answer the HTTP endpoint gives. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly provider: string;
  readonly answer: string;
  /** Present exactly when they were wanted. */
  readonly citations?: readonly AnswerCitation[] | undefined;
  /** USD, what was charged. */
  readonly usage: { readonly cost: number };
}

/** The result of an answer call: as it is, or an {@link Answer} as JSON where that text is what is kept or replayed. */
export type AnswerReply = AnswerResult | string;

/** An {@link Answer} as JSON. The cost is set in as text: as a number it could come out with an exponent. */
export function replyText(reply: AnswerReply): string {
  if (typeof reply === 'string') return reply;
  const { id, model, provider, answer, citations, cost } = reply;
  const head = JSON.stringify(
    citations === null ? { id, model, provider, answer } : { id, model, provider, answer, citations },
  );
  return `${head.slice(0, -1)},"usage":{"cost":${formatUsd(cost)}}}`;
}

export function replyValue(reply: AnswerReply): Answer {
  if (typeof reply === 'string') return JSON.parse(reply) as Answer;
  const { id, model, provider, answer, citations, cost } = reply;
  return { id, model, provider, answer, ...(citations === null ? {} : { citations }), usage: { cost: usd(cost) } };
}

/** An amount as callers in process get it: USD. */
export function usd(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}
