import type { UpstreamReason } from '../base/errors/reasons.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { MeteredUsage } from '../base/metered-usage.js';
import { type NanoUsd, reportedUsd } from '../base/money.js';
import { collectCitations, type Source } from '../text/collect-citations.js';
import { hasWords } from '../text/has-words.js';
import { positionWithin } from '../text/marker-forms.js';
import { readableText } from '../text/reply-limits.js';
import { type Mark, type MarkerForm, rewrite } from '../text/rewriter.js';
import { withoutThoughts } from '../text/thoughts.js';
import type { FinishReason } from './completeness.js';
import type { AnswerOutcome, OutcomeCost, ProviderQuestion } from './provider.js';

/** The parts of a provider's reply that an adapter reads. */
export interface ReplyParts extends Pick<MarkerForm, 'isGlued'> {
  /** As the provider wrote it, with its markers. */
  readonly text: string;
  /** An answer in JSON, in place of the text: kept as it is, because brackets in it are data. */
  readonly json?: string | undefined;
  /** Where the text cites sources. With marks, bracketed numbers in the text are words, unless {@link numbersAreWords} is `false`. */
  readonly marks?: readonly Mark[] | undefined;
  /** Whether bracketed numbers in the text are words. Default: as {@link marks} says. */
  readonly numbersAreWords?: boolean | undefined;
  /** In the provider's order. */
  readonly sources: readonly Source[];
  /** What the reply says of it; `{}` for nothing. */
  readonly cost: OutcomeCost;
  /** How the reply ended. @default `'complete'` */
  readonly finish?: FinishReason | undefined;
  /** The provider's own id of the call, for support requests. */
  readonly upstreamRequestId?: string | null | undefined;
  /** The vendor's name of the model that ran, where it may differ from the asked one. */
  readonly servedModel?: string | null | undefined;
}

/**
 * Makes the outcome of a reply: removes thoughts and duplicate sources, and rewrites the markers to point to them.
 *
 * @throws UpstreamError `upstream_invalid_response`, with the reported cost, when no text is left, or more than `MAX_ANSWER_LENGTH`.
 */
export function composeAnswer(parts: ReplyParts): AnswerOutcome {
  const { sources, json, cost, marks, upstreamRequestId, servedModel } = parts;
  const { isGlued, numbersAreWords = marks !== undefined } = parts;
  const { citations, positions } = collectCitations(sources);
  const readable = readableText(json ?? parts.text, cost.reported ?? null);
  const positionOf = positions === null ? positionWithin(citations.length) : (id: string) => positions.get(id);
  const form = { isGlued, numbersAreWords, positionOf, count: () => citations.length };
  const said = withoutThoughts({ text: readable, marks: marks ?? [] });
  const { text, markers } = json === undefined ? rewrite(said.text, form, said.marks) : { ...said, markers: [] };
  const truncated = parts.finish === 'truncated';
  if (json === undefined && !truncated && !hasWords(text)) {
    const detail = 'the reply holds no answer text';
    throw new UpstreamError('upstream_invalid_response', {
      phase: 'shape',
      status: 200,
      ...costAndUsage(cost),
      detail,
    });
  }
  return {
    text,
    markers,
    citations,
    cost,
    ...(truncated && { truncated }),
    ...(upstreamRequestId ? { upstreamRequestId } : {}),
    ...(servedModel ? { servedModel } : {}),
  };
}

/** The usage that a reply reports; every figure may be missing. */
export type ReportedUsage = { readonly [Key in keyof MeteredUsage]: MeteredUsage[Key] | null | undefined };

/** The cost of a call: the provider's figure in USD (ignored if it is no amount) or nanodollars, and the usage. */
export function outcomeCost(usd: unknown, usage: ReportedUsage = {}): OutcomeCost {
  const reported = typeof usd === 'bigint' ? usd : reportedUsd(usd);
  const known = Object.entries(usage).filter(([, amount]) => amount !== null && amount !== undefined);
  return {
    ...(reported === undefined ? {} : { reported }),
    ...(known.length === 0 ? {} : { usage: Object.fromEntries(known) as MeteredUsage }),
  };
}

/** A successful reply in the expected shape. */
export interface JsonReply<T> {
  /** As the schema `reply` parses it. */
  readonly body: T;
  /** How the reply ended, by the evidence. For `assertComplete`. */
  readonly finish: FinishReason;
  /** A header of the reply, by lower-case name. */
  header(name: string): string | undefined;
  /**
   * Makes the error for a reply that turns out to be no usable answer. By default the error has the provider's own words, and the reason that the error
   * table gives for a success: `upstream_invalid_response` unless a row fits.
   */
  failure(options?: ReplyFailure): UpstreamError;
}

/** The known facts of a reply that is of no use. */
export interface ReplyFailure {
  /** Replaces the reason of the error table. */
  readonly reason?: UpstreamReason | undefined;
  /** The cost that the provider reports for the failed call. */
  readonly cost?: NanoUsd | undefined;
  /** The usage that the provider reports for the failed call. */
  readonly usage?: MeteredUsage | undefined;
  /** Replaces the provider's words. */
  readonly detail?: string | undefined;
}

/**
 * Accepts only replies that are proved to be complete, or to have been cut by the caller's own limit.
 *
 * @param asked what the caller has limited.
 *
 * @throws UpstreamError `query_rejected` for a refusal; for a failure the reason from the provider's error table;
 * otherwise `upstream_invalid_response`. Each carries the cost and usage of the run.
 */
export function assertComplete(
  { finish, failure }: Pick<JsonReply<unknown>, 'finish' | 'failure'>,
  cost: OutcomeCost,
  { maxOutputTokens }: Pick<ProviderQuestion, 'maxOutputTokens'> = {},
): void {
  if (finish === 'complete' || (finish === 'truncated' && maxOutputTokens !== undefined)) return;
  const spent = costAndUsage(cost);
  if (finish === 'truncated' || finish === 'cut')
    throw failure({ reason: 'upstream_invalid_response', ...spent, detail: 'the answer was cut off' });
  if (finish === 'refused')
    throw failure({ reason: 'query_rejected', ...spent, detail: 'the model declined to answer' });
  if (finish === 'unproven') throw failure({ ...spent, detail: 'the reply does not say that the answer is complete' });
  throw failure(spent);
}

/** Adds the provider's own finish reason to the detail of a failure, for the operator. */
export function withProviderWord(word: string, failure: JsonReply<unknown>['failure']): JsonReply<unknown>['failure'] {
  return ({ detail, ...options } = {}) =>
    failure({ ...options, detail: `${detail ?? 'the provider did not finish'}: ${word}` });
}

/**
 * Accepts only answers that are based on a search. Without one the model answers from memory: it cites nothing and no reader can
 * check it, so another attempt is better. Do not call it for a reply that the caller's limit has ended, which may not have come to its search.
 *
 * @throws UpstreamError `upstream_invalid_response`, with the cost and usage of the run.
 */
export function assertSearched(hasSearched: boolean, failure: JsonReply<unknown>['failure'], cost: OutcomeCost): void {
  const detail = 'the answer is not based on a search';
  if (!hasSearched) throw failure({ reason: 'upstream_invalid_response', ...costAndUsage(cost), detail });
}

/** The cost and usage of a run without an answer, for its failure: the operator pays them. */
export function costAndUsage({ reported, usage }: OutcomeCost): Pick<ReplyFailure, 'cost' | 'usage'> {
  return { cost: reported, usage };
}
