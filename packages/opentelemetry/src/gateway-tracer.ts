import {
  type Context,
  context,
  isSpanContextValid,
  type Tracer as OpenTelemetryTracer,
  type Span,
  SpanKind,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { AttemptFinished, RequestFinished } from '@searchgate/core';
import type { AttemptSpan, AttemptStart, RequestSpan, Tracer } from '@searchgate/core/extensions';
import { SCOPE } from './scope.js';
import { describeAttempt, describeRequest, startOfAttempt } from './span-attributes.js';

export interface GatewayTracerOptions {
  /** Where spans are made. Default: the provider that is registered with the API, also where it is registered later. */
  readonly tracerProvider?: TracerProvider | undefined;
}

/**
 * A tracer for `createGateway({ tracer: gatewayTracer() })`: a span for each call, under the span that is active where the call begins, and
 * under it a span for each attempt at a provider, in which its upstream calls are made. Without an SDK it makes none.
 */
export function gatewayTracer({ tracerProvider = trace.getTracerProvider() }: GatewayTracerOptions = {}): Tracer {
  const tracer = tracerProvider.getTracer(SCOPE.name, SCOPE.version);
  return {
    startRequest({ endpoint }) {
      const span = tracer.startSpan(`searchgate ${endpoint}`, { attributes: { 'searchgate.endpoint': endpoint } });
      // Without an SDK there is nothing to be recorded, and no parent to be passed on.
      return isSpanContextValid(span.spanContext()) ? new CallSpan(tracer, span) : undefined;
    },
  };
}

/** A span, and the context in which it is the active one. */
class ActiveSpan {
  protected readonly span: Span;
  protected readonly context: Context;

  constructor(span: Span, parent: Context) {
    this.span = span;
    this.context = trace.setSpan(parent, span);
  }

  run(work: () => void): void {
    context.with(this.context, work);
  }
}

class CallSpan extends ActiveSpan implements RequestSpan {
  readonly #tracer: OpenTelemetryTracer;

  constructor(tracer: OpenTelemetryTracer, span: Span) {
    super(span, context.active());
    this.#tracer = tracer;
  }

  startAttempt(start: AttemptStart): AttemptSpan {
    const { name, attributes } = startOfAttempt(start);
    // The context is named: a timer shared by many calls may have begun the attempt.
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, this.context);
    return new ProviderSpan(span, this.context);
  }

  end(finished: RequestFinished): void {
    if (this.span.isRecording()) describeRequest(this.span, finished);
    this.span.end();
  }
}

class ProviderSpan extends ActiveSpan implements AttemptSpan {
  end(finished: AttemptFinished): void {
    if (this.span.isRecording()) describeAttempt(this.span, finished);
    this.span.end();
  }
}
