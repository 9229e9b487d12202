// The contract of a package that serves a path of its own
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
