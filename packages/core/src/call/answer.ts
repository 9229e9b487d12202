import type { DomainRule } from '../base/domain-rule.js';
import type { RequestError } from '../base/errors/request-error.js';
import type { AnswerPart } from '../base/events/events.js';
import type { TracedRequest } from '../base/events/tracing.js';
import type { NanoUsd } from '../base/money.js';
import type { PageScope } from '../base/search-options/page-scope.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { CacheMode } from '../kinds/call-options.js';
import type { AskedOptions, KindBody, KindCall } from '../kinds/kind-call.js';
import type { Charge, HoldBudget } from '../ledger/ledger.js';
import type { RoutePlan } from '../routing/route-plan.js';
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
  readonly budgets?: readonly PayingBudget[] | undefined;
  readonly domains?: readonly DomainRule[] | undefined;
}

/** As in an `ApiKey`. */
interface PayingBudget extends Pick<HoldBudget, 'id' | 'limit' | 'limitReset'> {
  readonly mode: 'enforce' | 'warn';
  readonly isKept?: boolean | undefined;
}

/** A call that has been authenticated and checked field by field. */
export interface AnswerRequest extends AskedOptions {
  readonly apiKey: PayingKey;
  /** Slug, alias or group as the caller sent it. */
  readonly model: string;
  /** What is asked. */
  readonly call: KindCall;
  /** Which pages the reply may show. Made with the plan; `undefined` for all. */
  readonly scope?: PageScope | undefined;
  /** `refresh` ignores cached answers; `off` also does not cache the new answer. `undefined` uses the cache. */
  readonly cache?: CacheMode | undefined;
  /** True once the caller has gone away: no further attempt begins. */
  isDisconnected(): boolean;
  /** Keeps the outcome for a caller who comes back for it. `undefined` for a caller who waits. */
  readonly asyncWriter?: AsyncAnswerWriter | undefined;
}

/** The outcome of a call whose caller does not wait, kept before the hold ends. */
export interface AsyncAnswerWriter {
  /** The id of the answer, its hold and its ledger entry. */
  readonly id: string;
  /** The money is held. Resolves once providers may be asked; never rejects. */
  begun(): Promise<void>;
  /** Keeps an answer. The charge may be written only after that. @throws RequestError `answer_too_large`, `ledger_unavailable`. */
  keep(result: PresentedAnswer, charge: Charge): Promise<void>;
  /** Keeps the error of a call that is not charged. Never rejects. */
  fail(error: RequestError): Promise<void>;
}

/** A call whose model is known and permitted. No money has been held, and no `Idempotency-Key` claimed. */
export interface AnswerPlan {
  readonly request: AnswerRequest;
  readonly route: RoutePlan;
  /** When the call's hold and its claim of the `Idempotency-Key` expire if this process dies. Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

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
  /** As in the event; `undefined` for an answer that is not made of parts. */
  parts: readonly AnswerPart[] | undefined;
  upstreamCost: NanoUsd | null;
  /** What the vendor billed to the organization. */
  tenantCost: NanoUsd | undefined;
  /** Whether the last attempt, or what was delivered, was made with a key of the organization. */
  byok: boolean;
  loss: NanoUsd;
  attempts: number;
  upstreamMs: number;
  /** Since when a provider is asked, on the monotonic clock; `null` between attempts. Not in `upstreamMs` yet. */
  askedAtMs: number | null;
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

/** A delivered, charged answer as its caller sees it. */
export interface PresentedAnswer {
  /** Also the id of its ledger entry. */
  readonly id: string;
  /** The slug that answered. After an alias or a fallback it differs from the request. */
  readonly model: string;
  /** The id of its provider. */
  readonly provider: string;
  /** Charged to the caller. */
  readonly cost: NanoUsd;
  /** Whether the key of the vendor was the organization's own: then {@link cost} is the fee. */
  readonly byok?: true | undefined;
  /** The fields of the reply of its kind. */
  readonly body: KindBody;
}
