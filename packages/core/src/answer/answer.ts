import type { RequestError } from '../base/errors/request-error.js';
import type { TracedRequest } from '../base/events/tracing.js';
import type { JsonFormat } from '../base/json-format.js';
import type { Message } from '../base/message.js';
import type { NanoUsd } from '../base/money.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { CacheMode } from '../kinds/call-options.js';
import type { KindBody, KindCall } from '../kinds/kind.js';
import type { Charge } from '../ledger/ledger.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { RoutingPreferences } from '../routing/routing-preferences.js';
import type { CallerRates, LimitedCaller } from './caller-limits.js';

/** The fields of an `ApiKey` that the pipeline needs: money, limits and permission. */
interface PayingKey extends LimitedCaller {
  readonly id: string;
  /** `null` for no limit. */
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
  readonly operatorPays?: boolean | undefined;
  /** Slugs; `null` for all. */
  readonly allowedModels: readonly string[] | null;
}

/** A question that has been authenticated and checked field by field. */
export interface AnswerRequest {
  readonly apiKey: PayingKey;
  /** Slug, alias or group as the caller sent it. */
  readonly model: string;
  /** As the caller sent it. */
  readonly query: string;
  /** The messages before the query; `undefined` for none. */
  readonly earlier?: readonly Message[] | undefined;
  /** Wants the answer in JSON; `undefined` for text. */
  readonly responseFormat?: JsonFormat | undefined;
  readonly includeCitations: boolean;
  /** `undefined` when the caller sent no search options. */
  readonly search?: SearchOptions | undefined;
  /** `undefined` when the caller accepts the operator's routes. */
  readonly routing?: RoutingPreferences | undefined;
  /** The caller's label for the purpose of the call, stored with its cost. `undefined` for no label. */
  readonly tag?: string | undefined;
  /** `refresh` ignores cached answers; `off` also does not cache the new answer. `undefined` uses the cache. */
  readonly cache?: CacheMode | undefined;
  /** True once the caller has gone away: no further attempt begins. */
  isDisconnected(): boolean;
  /** Receives the answer as a stream; `null` when the caller wants the whole answer at once. */
  readonly listener: AnswerListener | null;
  /** What is asked instead of a question, such as a search. `undefined` for a question. */
  readonly capability?: KindCall | undefined;
  /** Keeps the outcome for a caller who comes back for it. `undefined` for a caller who waits. */
  readonly kept?: KeptOutcome | undefined;
}

/** The outcome of a call whose caller does not wait, kept before the hold ends. */
export interface KeptOutcome {
  /** The id of the answer, its hold and its ledger entry. */
  readonly id: string;
  /** The money is held. Resolves once providers may be asked; never rejects. */
  begun(): Promise<void>;
  /** Keeps an answer. The charge may be written only after that. @throws RequestError `answer_too_large`, `ledger_unavailable`. */
  keep(result: AnswerResult, charge: Charge): Promise<void>;
  /** Keeps the error of a call that is not charged. Never rejects. */
  fail(error: RequestError): Promise<void>;
}

/** A question whose model is known and permitted. No money has been held, and no `Idempotency-Key` claimed. */
export interface AnswerPlan {
  readonly request: AnswerRequest;
  readonly route: RoutePlan;
  /** When the call's hold and its claim of the `Idempotency-Key` expire if this process dies. Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/** Receives a streamed answer: first its head, then citations and parts of the text. The result of the call ends the stream. Must not throw. */
export interface AnswerListener {
  start(head: AnswerHead): void;
  /** The whole list so far: entries are only appended. */
  citations(citations: readonly AnswerCitation[]): void;
  delta(text: string): void;
}

/** The id of an answer, and the model and provider that serve it. */
export type AnswerHead = Pick<AnswerResult, 'id' | 'model' | 'provider'>;

/** Facts about a request. The pipeline fills them in; the `request_finished` event reports them, after a success and after a failure. */
export interface RequestContext {
  readonly requestId: string;
  /** `undefined` when the host does not trace. */
  readonly span: TracedRequest | undefined;
  model: string | null;
  provider: string | null;
  cost: NanoUsd | null;
  /** The id of the hold. */
  answerId: string | null;
  tag: string | null;
  upstreamCost: NanoUsd | null;
  loss: NanoUsd;
  attempts: number;
  upstreamMs: number;
  /** Time spent waiting for slots at providers. */
  waitedMs: number;
  /** The caller's rate limits and their use. `null` until the ledger reports them, and for a caller without rate limits. */
  rates: CallerRates | null;
  /** How the call used the cache; `null` without a cache, or when the call ended earlier. */
  cache: CacheUse | null;
  /** Whether the call shared the answer of another call. */
  joined: boolean;
}

/** A cached answer, with its age and remaining lifetime; or a new answer, and whether the cache stored it. */
type CacheUse =
  | { readonly status: 'hit'; readonly ageMs: number; readonly leftMs: number }
  | { readonly status: 'miss' | CacheMode; readonly isStored: boolean };

/** A source as callers see it. */
export interface AnswerCitation {
  /** Of the page, or its host name. */
  readonly title: string;
  /** The address of the page. */
  readonly url: string;
  /** The cited passage; may be empty. */
  readonly snippet: string;
}

/** A delivered, charged call. */
interface ChargedResult {
  /** Also the id of its ledger entry. */
  readonly id: string;
  /** The model and the provider that answered. After an alias or a fallback they differ from the request. */
  readonly model: string;
  readonly provider: string;
  /** Charged to the caller. */
  readonly cost: NanoUsd;
}

/** A delivered, charged answer. */
export interface AnswerResult extends ChargedResult {
  readonly answer: string;
  /** `null` when the caller wanted no citations. */
  readonly citations: readonly AnswerCitation[] | null;
}

/** What a call of another capability gave, charged. */
export interface KindResult extends ChargedResult {
  readonly body: KindBody;
}
