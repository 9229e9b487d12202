// The contract of a provider
export * from './provider.js';
export type {
  ModelPart,
  ModelRow,
  DynamicPrice,
  FlatPrice,
  MeteredUsage,
  PriceRow,
  UnitRates,
} from '../catalog/model-entry.js';
export type { OptionSupport, SupportedOption } from '../base/search-options/option-support.js';
export { resolvedSearch, type AskedSearch, firstDay } from '../base/search-options/asked-search.js';
export type { JsonFormat } from '../base/json-format.js';
export type { Message } from '../base/message.js';
export type { Freshness, SearchOptions } from '../base/search-options/search-options.js';
export type { Citation } from '../text/citation.js';
export type { UpstreamClient, UpstreamRequest, UpstreamResponse } from '../upstream/upstream-client.js';

// Failures
export { isUpstreamError, UpstreamError, type UpstreamErrorOptions } from '../base/errors/upstream-error.js';
export type { UpstreamPhase, UpstreamReason } from '../base/errors/reasons.js';
export type { ErrorReply, ErrorTable, OwnError } from './classify.js';
export { parseJsonObject, upstreamFailure, type UpstreamFailureOptions } from './upstream-failure.js';

// Settings
export { atHost, commonSettings, type CommonSettingsOptions, parseProviderSettings } from './provider-settings.js';
export { parseOptions } from '../base/options/parse-options.js';
export { wholeNumber } from './define-provider.js';

// Requests and replies
export {
  bearer,
  jsonAnswer,
  type JsonAnswerOptions,
  jsonEndpoint,
  type JsonEndpointOptions,
  keyHeader,
} from './json-endpoint.js';
export { definedFields } from '../base/defined-fields.js';
export { assertQueryFits, messagesOf, outputLimit, systemText, withSystemText } from './call-fields.js';
export { queryEndpoint, type QueryEndpointOptions } from './query-endpoint.js';
export { embedAt, type EmbedAtOptions, rerankAt, type RerankAtOptions } from './ranks-and-vectors.js';
export { looseList, optional } from './reply-fields.js';

// Replies that come as a stream of events, as chat completions, or in the form of the Responses API
export type { Completeness, FinishReason, StreamEnd } from './completeness.js';
export { type CreateReducer, type JsonObject, type StreamReducer } from './reduce-stream.js';
export { liveParts, type LiveParts } from './live-parts.js';
export * from './server-sent-events.js';
export {
  type ChatAnswer,
  type ChatCompletion,
  chatCompletion,
  chatFinish,
  reduceChat,
  reduceChatCompletion,
  type ReduceChatOptions,
  readChatCompletion,
} from './chat-completion.js';
export { finishOfWord } from './finish-words.js';
export { type CitedText, citedText, type CitedTextOptions } from './responses-citations.js';
export { finishReasonOf, type ResponsesReply, responsesReply, searchesOf, tokensOf } from './responses-reply.js';
export { maskSecrets } from '../upstream/redact.js';

// The outcome
export {
  assertComplete,
  assertSearched,
  composeAnswer,
  type JsonReply,
  outcomeCost,
  type ReplyFailure,
  type ReplyParts,
  type ReportedUsage,
} from './compose-answer.js';
export type { Source } from '../text/collect-citations.js';
export { joinCited, type CitedPiece } from '../text/annotated-text.js';
export type { TextMarker } from '../text/marker-writer.js';
export { type AnnotatedText, type Mark, type MarkerForm, markersIn } from '../text/rewriter.js';
export { markersOf, unmarkedText } from '../text/own-markers.js';
export { type Token as TextToken, tokensOf as textTokens } from '../text/scanner.js';
export { formatUsd, type NanoUsd, parseUsd } from '../base/money.js';

// Calls of an adapter without a gateway, for tests and scripts
export * from './open-upstream.js';
