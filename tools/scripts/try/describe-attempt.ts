import { isUpstreamError, type UpstreamError } from '../../../packages/core/src/base/errors/upstream-error.js';
import { formatUsd, NO_MARKUP } from '../../../packages/core/src/base/money.js';
import { charge } from '../../../packages/core/src/catalog/charge.js';
import { compilePrices } from '../../../packages/core/src/catalog/compile-prices.js';
import { createPriceReader } from '../../../packages/core/src/catalog/price-reader.js';
import { priceAt } from '../../../packages/core/src/catalog/units.js';
import type { AnswerOutcome, ProviderQuestion } from '../../../packages/core/src/provider-kit/provider.js';
import type { Attempt, Exchange } from './attempt.js';
import { parsedReply } from './fixture-file.js';

/** Describes an attempt for a maintainer: the question, the adapter's result, and the raw reply. */
export function describeAttempt(
  call: ProviderQuestion,
  { ending, exchanges, durationMs }: Attempt,
  nowMs: number,
): string {
  const made = isUpstreamError(ending) ? [failure(ending)] : answer(call, ending, nowMs);
  const sections = [
    `${call.model.slug}, ${durationMs.toLocaleString('en-US')} ms`,
    ...exchanges.map(({ request }) => section(`request: ${request.method} ${request.url.href}`, request.json)),
    ...made,
    ...exchanges.map(describeReply),
  ];
  return sections.join('\n\n');
}

/** The unchanged replies. */
export function rawReplies(exchanges: readonly Exchange[]): string {
  return exchanges.flatMap(({ response }) => (response === undefined ? [] : [response.text])).join('\n');
}

/** One line for people and scripts. */
export function describeFailure({ reason, phase, status }: UpstreamError): string {
  return `${reason} in phase ${phase}${status === null ? '' : `, HTTP ${status}`}`;
}

function answer({ model }: ProviderQuestion, outcome: AnswerOutcome, nowMs: number): string[] {
  const { text, citations, cost, servedModel, upstreamRequestId } = outcome;
  const list = citations.map(({ url, title, snippet }, index) =>
    [`[${index + 1}] ${title ?? '(no title)'}`, url, snippet ?? '(no snippet)'].join('\n    '),
  );
  const reader = createPriceReader();
  const price = priceAt(compilePrices(reader, model.prices, model.slug), nowMs);
  reader.finish();
  const { charged, costSource, computed } = charge(price, cost, {
    markup: NO_MARKUP,
    mostCharged: null,
  });
  const figures = [
    `${formatUsd(charged)} USD, ${costSource}`,
    `reported: ${cost.reported === undefined ? 'nothing' : formatUsd(cost.reported)}`,
    `by our prices: ${computed === null ? 'unknown' : formatUsd(computed)}`,
    `used: ${JSON.stringify(cost.usage ?? {}, (_key, value: unknown) => (typeof value === 'bigint' ? formatUsd(value) : value))}`,
  ];
  return [
    section('answer', text),
    section(`citations: ${citations.length}`, list.join('\n')),
    section('cost', figures.join('\n')),
    section('served', `model: ${servedModel ?? 'not reported'}\nrequest id: ${upstreamRequestId ?? 'not reported'}`),
  ];
}

function failure(error: UpstreamError): string {
  const { retryAfterMs, cost, detail } = error;
  const lines = [
    describeFailure(error),
    ...(retryAfterMs === null ? [] : [`retry after ${retryAfterMs} ms`]),
    ...(cost === null ? [] : [`cost ${formatUsd(cost)} USD although it failed`]),
    detail,
  ];
  return section('failure', lines.join('\n'));
}

function describeReply({ response, headers }: Exchange): string {
  if (response === undefined) return section('raw reply', 'none came');
  const read = [...headers].map(([name, value]) => `${name}: ${value}\n`).join('');
  return section(`raw reply: HTTP ${response.status}`, `${read}${printed(parsedReply(response.text))}`);
}

function section(title: string, content: unknown): string {
  return content === undefined ? `== ${title}` : `== ${title}\n${printed(content)}`;
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
