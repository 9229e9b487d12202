import { UpstreamError } from '../errors/upstream-error.js';
import type { MeteredUsage } from '../money/metered-usage.js';
import { reportedUsd } from '../money/money.js';
import { collectCitations, type Source } from '../text/collect-citations.js';
import { normalizeMarkers, renumberMarkers } from '../text/markers.js';
import { readableText } from '../text/readable-text.js';
import type { AnswerOutcome, OutcomeCost } from './provider.js';

/** What a translator reads out of a provider's reply. */
export interface ReplyParts {
  readonly text: string;
  /** In the provider's order. */
  readonly sources: readonly Source[];
  readonly cost: OutcomeCost;
  readonly upstreamRequestId?: string | null | undefined;
  readonly servedModel?: string | null | undefined;
}

/**
 * Makes the outcome of a reply: sources deduplicated, markers rewritten to point to them.
 *
 * @throws UpstreamError `upstream_invalid_response`, with what it cost, when no text is left, or more than `MAX_ANSWER_LENGTH`.
 */
export function composeAnswer({ text, sources, cost, upstreamRequestId, servedModel }: ReplyParts): AnswerOutcome {
  const { citations, positions } = collectCitations(sources);
  const readable = readableText(text, cost.reported ?? null);
  const marked =
    positions === null ? normalizeMarkers(readable, citations.length) : renumberMarkers(readable, positions);
  const answer = marked.trim();
  if (answer === '') {
    const detail = 'the reply holds no answer text';
    throw new UpstreamError('upstream_invalid_response', {
      phase: 'shape',
      status: 200,
      cost: cost.reported,
      usage: cost.usage,
      detail,
    });
  }
  return {
    text: answer,
    citations,
    cost,
    ...(upstreamRequestId ? { upstreamRequestId } : {}),
    ...(servedModel ? { servedModel } : {}),
  };
}

/** What a reply says was used; every figure may be missing. */
export type ReportedUsage = { readonly [Key in keyof MeteredUsage]: MeteredUsage[Key] | null | undefined };

/** The cost of a call: what the provider reports it to be in USD (a value that is no amount is no report), and what it used. */
export function outcomeCost(usd: unknown, usage: ReportedUsage = {}): OutcomeCost {
  const reported = reportedUsd(usd);
  const known = Object.entries(usage).filter(([, amount]) => amount !== null && amount !== undefined);
  return {
    ...(reported === undefined ? {} : { reported }),
    ...(known.length === 0 ? {} : { usage: Object.fromEntries(known) as MeteredUsage }),
  };
}
