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

/** Where the spans go. */
export interface GatewayTracerOptions {
  /** Makes the spans. @default the provider registered with the API, even if it is registered later */
  readonly tracerProvider?: TracerProvider | undefined;
}

/**
 * A tracer for `createGateway({ tracer: gatewayTracer() })`: a span per call, child of the active span, and below it a span per attempt at a
 * provider, which is the parent of the upstream calls. Without an SDK it creates no spans.
 */
export function gatewayTracer({ tracerProvider = trace.getTracerProvider() }: GatewayTracerOptions = {}): Tracer {
  const tracer = tracerProvider.getTracer(SCOPE.name, SCOPE.version);
  return {
    startRequest({ endpoint }) {
      const span = tracer.startSpan(`searchgate ${endpoint}`, { attributes: { 'searchgate.endpoint': endpoint } });
      // Without an SDK there is nothing to record, and no parent to pass on.
      return isSpanContextValid(span.spanContext()) ? new CallSpan(tracer, span) : undefined;
    },
  };
}

/** A span with the context that makes it active. */
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
    // Pass the context: the active context may be another call's, since calls share the timer that starts attempts.
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
