// The contracts of packages that extend a gateway

// With refusals of their own
export { RequestError } from '../base/errors/request-error.js';
// With spans of calls and attempts
export type { AttemptSpan, AttemptStart, RequestSpan, RequestStart, Tracer } from '../base/events/tracer.js';
// The options and replies of the kinds of calls
export type { KindCalls } from '../kinds/kinds.js';
// How the gateway shares its room between organizations
export { createFairQueue, type FairQueue, type QueueLimits } from '../limits/fair-queue.js';
export { createSemaphore, type Semaphore, type SemaphoreLimits } from '../limits/semaphore.js';
// With a file of options
export { type EndpointOptions, kindEndpointSchemas } from './endpoint-options.js';
export type { ErrorEnvelope } from './error-envelope.js';
// With a path of their own
export type {
  Answer,
  CallBodies,
  CallResult,
  Extension,
  ExtensionCalls,
  ExtensionRequest,
  ExtensionResponse,
  JsonObject,
  ModelBody,
  PresentError,
  Refusal,
  SendEvents,
} from './extension.js';
// The bodies of the paths of `endpoints`
export type { AnswerStatusBody, UsageBody, UsageRowBody } from './success-bodies.js';
