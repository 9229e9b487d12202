import type { TracedRequest } from '../base/events/tracing.js';
import type { NanoUsd } from '../base/money.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { RoutingPreferences } from '../routing/routing-preferences.js';
import type { CallerRates, LimitedCaller } from './caller-limits.js';

/** Who pays, as the pipeline sees it: what an `ApiKey` says about money and permission. */
interface PayingKey extends LimitedCaller {
  readonly id: string;
  /** `null` for no limit. */
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
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
  readonly includeCitations: boolean;
  /** `undefined` when nothing is asked of the search. */
  readonly search?: SearchOptions | undefined;
  /** `undefined` when the operator's routes hold. */
  readonly routing?: RoutingPreferences | undefined;
  /** The caller's own word for what the call is for: kept with what it costs. `undefined` for none. */
  readonly tag?: string | undefined;
  /** What the caller wants of answers that were kept: `refresh` passes over them, `off` also keeps none. `undefined` to use them. */
  readonly cache?: CacheMode | undefined;
  /** True once the caller has gone away: no further attempt is begun. */
  isDisconnected(): boolean;
  /** Gets the answer while it comes; `null` where it is wanted whole. */
  readonly listener: AnswerListener | null;
}

/** A question whose model is known and permitted. Nothing has been spent, claimed or held for it. */
export interface AnswerPlan {
  readonly request: AnswerRequest;
  readonly route: RoutePlan;
  /** When what the call holds (money, and its `Idempotency-Key`) is free again should this process die. */
  readonly expiresAtMs: number;
}

/** Gets an answer while it comes: first its head, then citations and parts of the text. Its end is the result of the call. Must not throw. */
export interface AnswerListener {
  start(head: AnswerHead): void;
  /** The whole list so far: entries are only appended. */
  citations(citations: readonly AnswerCitation[]): void;
  delta(text: string): void;
}

/** Which answer it is, and who serves it. */
export type AnswerHead = Pick<AnswerResult, 'id' | 'model' | 'provider'>;

/** What the pipeline found out so far: filled in as it goes, read by the `request_finished` event whether it ended well or not. */
export interface RequestContext {
  readonly requestId: string;
  /** `undefined` where the host traces nothing. */
  readonly span: TracedRequest | undefined;
  model: string | null;
  provider: string | null;
  cost: NanoUsd | null;
  attempts: number;
  upstreamMs: number;
  /** For how long it waited for slots at providers. */
  waitedMs: number;
  /** The rates of the caller, once they are known; `null` before, and where there are none. */
  rates: CallerRates | null;
  /** What the cache had to do with it; `null` where there is none, or the call did not come that far. */
  cache: CacheUse | null;
  /** Whether it waited for the answer of another call. */
  joined: boolean;
}

export type CacheMode = 'refresh' | 'off';

/** An answer that was kept, with its age and for how much longer it is given; or a new one, and whether it was kept. */
type CacheUse =
  | { readonly status: 'hit'; readonly ageMs: number; readonly leftMs: number }
  | { readonly status: 'miss' | CacheMode; readonly isStored: boolean };

/** A source as callers see it. */
export interface AnswerCitation {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A delivered, charged answer. */
export interface AnswerResult {
  /** Also the id of its ledger entry. */
  readonly id: string;
  /** The slug that ran and the provider that served; they differ from what was asked for after an alias or a fallback. */
  readonly model: string;
  readonly provider: string;
  readonly answer: string;
  /** `null` when the caller did not want any. */
  readonly citations: readonly AnswerCitation[] | null;
  /** Charged to the caller. */
  readonly cost: NanoUsd;
}
