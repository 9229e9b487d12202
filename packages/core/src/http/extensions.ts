// The contracts of packages that extend a gateway

// With refusals of their own
export { RequestError } from '../base/errors/request-error.js';
// With spans of calls and attempts
export type { AttemptSpan, AttemptStart, RequestSpan, RequestStart, Tracer } from '../base/events/tracer.js';
// With a form of their own for the answers of the gateway
export { timeOfId } from '../base/ids.js';
export { oneLine } from '../base/options/characters.js';
// The options and replies of the kinds of calls
export type { KindCalls } from '../kinds/kinds.js';
// How the gateway shares its room between organizations
export * from '../limits/fair-shares.js';
export {
  type AnswerCitation,
  type AnswerHead,
  type AnswerReply,
  bodyOf as replyBody,
  byokText,
  costOf,
  replyValue,
} from '../request/answer-reply.js';
export { ownMarkers } from '../text/own-markers.js';
export type { WholeFormat, WireFormat } from './answer-api.js';
export type * from './dialect.js';
// With a file of options
export {
  type ChatOptions,
  chatOptionsSchema,
  type EndpointOptions,
  kindEndpointSchemas,
  type LongKindEndpoint,
  type ResponsesOptions,
  responsesOptionsSchema,
} from './endpoint-options.js';
export type { ErrorEnvelope, ErrorMetadata } from './error-envelope.js';
// With a path of their own
export type {
  Answer,
  CallBodies,
  CallResult,
  ErrorHeaders,
  Extension,
  ExtensionCalls,
  ExtensionRequest,
  ExtensionResponse,
  JsonObject,
  ModelBody,
  NamedModel,
  PresentError,
  Refusal,
  SendEvents,
} from './extension.js';
// The bodies of the paths of `endpoints`
export type { AnswerStatusBody, UsageBody, UsageRowBody } from './success-bodies.js';
