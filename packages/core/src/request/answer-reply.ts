import type { AnswerCitation, AnswerHead, AnswerListener, AnswerResult } from '../answer/answer.js';

export type { AnswerCitation, AnswerHead, AnswerListener };

import { formatUsd, type NanoUsd } from '../base/money.js';

/** The answer in the form of the HTTP endpoint. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly provider: string;
  readonly answer: string;
  /** Present exactly when the caller wanted citations. */
  readonly citations?: readonly AnswerCitation[] | undefined;
  /** The charge in USD. */
  readonly usage: { readonly cost: number };
}

/** The result of an answer call. For calls with an idempotency key: an {@link Answer} as JSON, the text that is kept and replayed. */
export type AnswerReply = AnswerResult | string;

/** An {@link Answer} as JSON. The cost is inserted as text, because `JSON.stringify` could write a number with an exponent. */
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

/** An amount in USD, for callers in process. */
export function usd(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}
