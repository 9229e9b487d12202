import type { PresentedAnswer } from '../call/answer.js';
import type { AnswerCitation, AnswerHead, AnswerListener } from '../kinds/answer/answer-listener.js';

export type { AnswerCitation, AnswerHead, AnswerListener };

import { formatUsd, type NanoUsd, reportedUsd } from '../base/money.js';
import type { KindBody } from '../kinds/kind-call.js';
import type { Charged } from '../kinds/reply-schemas.js';
import type { Grounding } from '../provider-kit/provider.js';

/** The answer in the form of the HTTP endpoint. */
export interface Answer extends AnswerHead {
  /** The text, with citation markers such as `[1]`. */
  readonly answer: string;
  /** Present exactly when the caller wanted citations. */
  readonly citations?: readonly AnswerCitation[] | undefined;
  /** What a check of the citations found. Absent where nothing was checked. */
  readonly grounding?: Grounding | undefined;
  /** Present where `maxOutputTokens` has ended the text. */
  readonly truncated?: true | undefined;
  /** The charge in USD. */
  readonly usage: Charged;
}

/** The result of a call. For calls with an idempotency key: the body of the response as JSON, the text that is kept and replayed. */
export type AnswerReply = PresentedAnswer | string;

/** A reply with a list that is too long to be written at once. */
export type LongReply = PresentedAnswer & {
  readonly body: KindBody & { readonly longList: NonNullable<KindBody['longList']> };
};

export function isLong(reply: AnswerReply): reply is LongReply {
  return typeof reply === 'object' && reply.body.longList !== undefined;
}

/** The text of a long reply in pieces, each of which is written in a few milliseconds. */
export function* longReplyPieces(reply: LongReply): Generator<string> {
  const { name, items } = reply.body.longList;
  const whole = replyText({ ...reply, body: { ...reply.body, fields: { [name]: [] } } });
  // Ids and slugs, which come before, have no brackets.
  const start = whole.indexOf('[') + 1;
  yield whole.slice(0, start);
  for (let at = 0; at < items.length; at += ITEMS_PER_PIECE) {
    const piece = JSON.stringify(items.slice(at, at + ITEMS_PER_PIECE)).slice(1, -1);
    yield at === 0 ? piece : `,${piece}`;
  }
  yield whole.slice(start);
}

const ITEMS_PER_PIECE = 10;

/** The body of the response as JSON. The cost is inserted as text, because `JSON.stringify` could write a number with an exponent. */
export function replyText(reply: AnswerReply): string {
  if (typeof reply === 'string') return reply;
  const { id, model, provider, cost, body } = reply;
  const head = JSON.stringify({ object: body.object, id, model, provider });
  // The fields by themselves: joined with the head in one object, their lists would be written at half the speed.
  const fields = JSON.stringify(body.fields);
  const counted = JSON.stringify(body.usage);
  const usage = `${counted.slice(0, -1)}${counted.length > 2 ? ',' : ''}"cost":${formatUsd(cost)}${byokText(reply)}}`;
  return `${head.slice(0, -1)},${fields.slice(1, -1)},"usage":${usage}}`;
}

/** The reply of a question. */
export function replyValue(reply: AnswerReply): Answer {
  return bodyOf(reply) as Answer;
}

/** The body of the response as an object: an {@link Answer}, or the reply of another kind. */
export function bodyOf(reply: AnswerReply): object {
  if (typeof reply === 'string') return JSON.parse(reply) as object;
  const { id, model, provider, cost, byok, body } = reply;
  const usage = { ...body.usage, cost: usd(cost), ...(byok && { byok }) };
  const list = body.longList && { [body.longList.name]: body.longList.items };
  return { ...(body.object && { object: body.object }), id, model, provider, ...body.fields, ...list, usage };
}

/** An amount in USD, for callers in process. */
export function usd(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}

/** What was charged for a question. */
export function costOf(reply: AnswerReply): NanoUsd {
  return typeof reply === 'string' ? (reportedUsd(replyValue(reply).usage.cost) ?? 0n) : reply.cost;
}

/** What stands behind the cost in JSON: `,"byok":true` where a key of the organization was used. */
export function byokText(reply: AnswerReply): string {
  const { byok } = typeof reply === 'string' ? replyValue(reply).usage : reply;
  return byok ? ',"byok":true' : '';
}
