// The contracts of packages that extend a gateway

// With a path of their own
export type {
  Answer,
  AskedAnswer,
  Extension,
  ExtensionCalls,
  ExtensionRequest,
  ExtensionResponse,
  JsonObject,
  ModelBody,
  PresentError,
  Refusal,
} from '../http/extension.js';
export type { ExtensionOptions } from '../http/extension-options.js';
// The bodies of the paths that `usage` adds
export type { AnswerStatusBody, UsageBody, UsageRowBody } from '../http/success-bodies.js';

export type { ErrorEnvelope } from '../http/error-envelope.js';

// With spans of calls and attempts
export type { AttemptSpan, AttemptStart, RequestSpan, RequestStart, Tracer } from '../events/tracer.js';
