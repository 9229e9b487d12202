import type { NanoUsd } from '../base/money.js';
import type { AskedSearch } from '../base/search-options/asked-search.js';
import type { DomainRules, PageScope } from '../base/search-options/page-scope.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { BilledPart } from '../catalog/charge.js';
import type { Category, ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import type { AskedUnits, Units } from '../catalog/units.js';
import type { Loss } from '../ledger/ledger.js';
import type { Slot } from '../limits/provider-limits.js';
import type { CallContext, LiveAnswer, Provider } from '../provider-kit/provider.js';
import type { RoutingPreferences } from '../routing/routing-preferences.js';
import type { SoldUnits } from './sold-units.js';

/** A kind, as far as the pipeline depends on it. */
export interface CallKind {
  readonly category: Category;
  /** First part of the ids of its calls and their ledger entries. */
  readonly idPrefix: string;
  /** Whether another model may step in for the one that was asked for. */
  readonly hasFallbacks: boolean;
  /** Where pages of replies come from: a search finds them, or the caller names them. Default: replies have no pages. */
  readonly pages?: 'found' | 'named' | undefined;
  /** Whether a caller's page, and not the provider, may be at fault where the provider fails: then it is neither asked again nor paused. Default: `false`. */
  readonly mayFailByInput?: boolean;
  /** Whether a value may be kept for later calls that are alike. */
  readonly isCached: boolean;
  /** Whether calls that are alike and made at the same time may share one call at a provider. */
  readonly isShared: boolean;
}

/**
 * One call of a kind, as the pipeline sees it.
 *
 * @typeParam Value what came of it. Only calls that are alike can read it.
 */
export interface KindCall<Value = unknown> {
  readonly kind: CallKind;
  /** As the caller sent it; empty where the kind has none. */
  readonly query: string;
  /** All texts of the caller, the query first: for people who may read them. */
  askedTexts(): readonly string[];
  /** What is asked besides the query and the options of the search: part of the name by which calls share an answer. */
  cacheKeyInput(): readonly unknown[];
  /** All that is asked of a model: two calls with one idempotency key must not differ in it. */
  fingerprintInput(options: AskedOptions): readonly unknown[];
  /** Fields of the call that a model cannot serve. */
  unsupportedFields(model: CallableModel): readonly string[];
  /** Tokens that the prices of answers do not foresee. */
  readonly extraInputTokens: number;
  /** In the units of prices; `undefined` for a call that has a price of its own. */
  readonly askedUnits: (model: ModelRow) => AskedUnits | undefined;
  /** The call without the pages that rules forbid. @throws RequestError `domains_exclude_all`. Absent for a kind whose callers name no pages. */
  within?(rules: DomainRules): KindCall<Value>;
  /** Begins to stream to the caller; `null` where the caller wants everything at once. */
  openStream(options: StreamOptions): CallStream<Value> | null;
  /** Asks a provider once. @throws UpstreamError also where the provider gave nothing usable. */
  ask(provider: Provider, call: AskedModel, context: AttemptContext): Promise<ProviderAnswer<Value>>;
  /** What is charged where the provider says nothing of the cost; `undefined` for a call that has a price of its own. */
  billedUnits(value: Value, model: ModelRow): Units | undefined;
  /** Whether the reply has nothing in it. Absent for a kind whose empty replies are errors. */
  isEmpty?(value: Value): boolean;
  /** The fields of the reply. @param scope which pages it may show. Default: all. */
  present(value: Value, scope?: PageScope): KindBody;
  /** Streams the reply of an earlier call to a caller who repeats it, where the caller wants a stream. */
  replay(readReply: () => object): void;
  /** What is kept in a cache. Plain JSON. */
  writeKept(value: Value): unknown;
  /** @throws Error for anything that {@link writeKept} has not made for a call of this kind. */
  readKept(stored: unknown): Value;
}

/** The options of calls of every kind. */
export interface AskedOptions {
  /** `undefined` when the caller sent no search options. */
  readonly search?: SearchOptions | undefined;
  /** `undefined` when the caller accepts the operator's routes. */
  readonly routing?: RoutingPreferences | undefined;
  /** The caller's label for the purpose of the call, stored with its cost. `undefined` for no label. */
  readonly tag?: string | undefined;
}

export interface StreamOptions {
  /** The id of the call. */
  readonly id: string;
  /** Which pages it may show; `undefined` for all. */
  readonly scope: PageScope | undefined;
  /** Called when the streamed text is not the beginning of the answer: a bug of the adapter. */
  onMismatch(model: string): void;
}

/** The stream of one call. Attempts write to it in turn, until content of one attempt has been delivered. */
export interface CallStream<Value = unknown> {
  /** True once content was delivered: no other attempt may begin then. */
  readonly hasStarted: boolean;
  /** Opens the stream for one attempt. @param mayDeliver asked before each part is delivered. */
  open(served: CallableModel, mayDeliver?: () => boolean): AttemptStream;
  /** Delivers the rest. @returns what {@link KindCall.present} returns. */
  finish(value: Value, served: { readonly model: string; readonly provider: string }): KindBody;
}

/** The part of a stream that one attempt writes. */
export interface AttemptStream extends LiveAnswer {
  /** What comes later is ignored. */
  end(): void;
}

/** The model that is asked, and the search. */
export interface AskedModel {
  readonly model: ModelRow;
  /** What is listed of the model, with the host's overrides. */
  readonly facts: CallableModel['facts'];
  readonly search: AskedSearch | undefined;
  /** Which pages the reply may show. Default: all. */
  readonly scope?: PageScope | undefined;
}

/** What the pipeline gives a call for one attempt. A port knows only its own part of it. */
export interface AttemptContext extends CallContext {
  /** The attempt's part of the caller's stream; `undefined` where the caller wants everything at once. */
  readonly live: AttemptStream | undefined;
  /**
   * Sends one request of the call. Where the provider refuses one of several keys, the request is sent again with the next one.
   *
   * @param slot that the request has besides that of the attempt. Default: none.
   */
  ask<T>(send: (context: AttemptContext) => Promise<T>, slot?: Slot | null): Promise<T>;
  /** Takes one more slot at the provider, for a request beside that of the attempt. @returns `null` when the provider or the organization is at its limit. */
  enterSlot(): Slot | null;
  /** The possible cost of a part of the call, by its report or the model's prices. */
  costOf(part: SoldUnits): NanoUsd;
  /** Tells the host that a provider has cited or found pages outside of the domains of a call. */
  citationsDropped(count: { readonly dropped: number; readonly kept: number }): void;
}

/** What a provider gave, checked. */
export interface ProviderAnswer<Value = unknown> {
  readonly value: Value;
  readonly cost: OutcomeCost;
  /** The parts that the provider bills, where there are several. */
  readonly parts?: readonly BilledPart[] | undefined;
  /** Of parts that failed: no caller pays for them. */
  readonly losses?: readonly Pick<Loss, 'cost' | 'reason'>[] | undefined;
  readonly upstreamRequestId?: string | undefined;
}

/** The fields of a reply, without those that every reply has. */
export interface KindBody {
  /** Before the id. */
  readonly object?: string | undefined;
  /** Behind the provider. */
  readonly fields: object;
  /** Behind the fields: a list that is too long to be written in one turn of the event loop. Default: none. */
  readonly longList?: LongList | undefined;
  /** In `usage`, before the cost. */
  readonly usage: object;
}

interface LongList {
  readonly name: string;
  readonly items: readonly object[];
}
