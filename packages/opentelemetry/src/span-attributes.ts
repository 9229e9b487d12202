import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import type { AttemptFinished, RequestFinished } from '@searchgate/core';
import type { AttemptStart } from '@searchgate/core/extensions';

/** Providers with another name in the GenAI conventions. */
const CONVENTIONAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
]);

const NANO_PER_USD = 1e9;
const MS_PER_SECOND = 1_000;

/** Operations with a conventional name. The conventions (2026-11) allow other names: the other categories keep theirs. */
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['answer', 'chat'],
  ['search', 'retrieval'],
  ['embedding', 'embeddings'],
]);

/** The attributes known before an attempt, by the GenAI conventions: an operation of a model at a provider. */
export function startOfAttempt({ requestId, attempt, provider, model, category }: AttemptStart) {
  const operation = OPERATIONS.get(category) ?? category;
  const attributes: Attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': CONVENTIONAL_NAMES.get(provider) ?? provider,
    'gen_ai.request.model': model,
    'searchgate.request.id': requestId,
    'searchgate.attempt': attempt,
  };
  return { name: `${operation} ${model}`, attributes };
}

/** The slower of two hedged attempts is aborted; that is not a failure. */
export function describeAttempt(span: Span, finished: AttemptFinished): void {
  const { outcome, phase, upstreamStatus, upstreamRequestId, cost, inputTokens, outputTokens, detail } = finished;
  const hasFailed = outcome !== 'answered' && outcome !== 'hedged';
  span.setAttributes({
    'gen_ai.response.id': upstreamRequestId ?? undefined,
    'gen_ai.usage.input_tokens': inputTokens ?? undefined,
    'gen_ai.usage.output_tokens': outputTokens ?? undefined,
    'searchgate.outcome': outcome,
    'searchgate.phase': phase ?? undefined,
    'searchgate.upstream.status': upstreamStatus ?? undefined,
    'searchgate.cost.usd': usdOf(cost),
    'error.type': hasFailed ? outcome : undefined,
  });
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR, message: detail });
}

/** A caller's mistake is not an error of the span, as for HTTP servers. */
export function describeRequest(span: Span, finished: RequestFinished): void {
  const { status, reason, model, requestedModel, provider, cost, cache, firstContentMs } = finished;
  span.setAttributes({
    'searchgate.request.id': finished.requestId,
    'searchgate.key.id': finished.keyId ?? undefined,
    'searchgate.organization.id': finished.organizationId ?? undefined,
    'searchgate.status': status,
    'searchgate.requested_model': requestedModel ?? undefined,
    'searchgate.model': model ?? undefined,
    'searchgate.provider': provider ?? undefined,
    'searchgate.attempts': finished.attempts,
    'searchgate.charged.usd': usdOf(cost),
    'searchgate.cache': cache ?? undefined,
    'searchgate.joined': finished.joined,
    'searchgate.replayed': finished.replayed,
    'searchgate.time_to_first_content': firstContentMs === null ? undefined : firstContentMs / MS_PER_SECOND,
    'error.type': reason ?? undefined,
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: reason ?? '' });
}

function usdOf(cost: bigint | null): number | undefined {
  return cost === null ? undefined : Number(cost) / NANO_PER_USD;
}
