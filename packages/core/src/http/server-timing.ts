import type { RequestState } from '../request/handle-request-lifecycle.js';

/** Milliseconds spent here and at providers, so that a slow answer can be blamed on the right side. */
export function serverTiming({ startMs, trace }: RequestState, nowMs: number): { 'server-timing': string } {
  const gatewayMs = Math.max(0, nowMs - startMs - trace.upstreamMs);
  return { 'server-timing': `gateway;dur=${gatewayMs.toFixed(1)}, upstream;dur=${trace.upstreamMs.toFixed(1)}` };
}
