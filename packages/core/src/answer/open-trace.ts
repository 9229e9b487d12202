import type { TracedRequest } from '../base/events/tracing.js';
import type { RequestContext } from './answer.js';

/** The trace of a request of which nothing has been found out yet. */
export function openTrace(requestId: string, span?: TracedRequest): RequestContext {
  return {
    requestId,
    span,
    model: null,
    provider: null,
    cost: null,
    attempts: 0,
    upstreamMs: 0,
    waitedMs: 0,
    rates: null,
    cache: null,
    joined: false,
  };
}
