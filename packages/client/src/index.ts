// Asking a gateway
export { createClient } from './create-client.js';
export type { Client } from './client.js';
export type {
  AnswerRequest,
  AsyncAnswerRequest,
  CallOptions,
  ClientOptions,
  KindName,
  KindReply,
  KindRequest,
  ModelsRequest,
  UsageRequest,
} from './client-options.js';
export type { AnswerEvent } from './answer-events.js';

// Errors
export {
  type ClientReason,
  type ErrorFacts,
  type ErrorReason,
  isSearchgateError,
  type MetadataOf,
  SearchgateError,
} from './searchgate-error.js';

// The bodies of replies, defined by core
export type { AnswerBody, CreditsBody, ErrorEnvelope, KeyBody, ModelsBody, Reason } from '@searchgate/core';
export type { AnswerStatusBody, UsageBody } from '@searchgate/core/extensions';
