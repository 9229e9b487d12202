import type { JsonFormat } from '../base/json-format.js';
import type { Message } from '../base/message.js';
import type { AskedSearch } from '../base/search-options/asked-search.js';
import type { ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import type { Citation } from '../text/citation.js';
import type { TextMarker } from '../text/marker-writer.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';
import type { ExtraModel } from './extra-models.js';

export type { ExtraModel, OutcomeCost };

/**
 * An upstream company: its models, and a port for each kind of call that it serves. Built by a factory (`exa({ apiKey })`), immutable, without state
 * between calls. `createGateway` accepts every implementation, from this package or another. At least one port is needed.
 */
export interface Provider extends KindPorts {
  /** The first part of the provider's slugs: lower-case letters, digits and dashes. */
  readonly id: string;
  /** The company's name as people write it. */
  readonly name: string;
  /** The answer models. Empty without the port {@link answer}. */
  readonly models: readonly ModelRow[];
  /** Answers questions. @default the provider has no answer models */
  readonly answer?: AnswerAdapter | undefined;
  /** Most requests that the gateway sends, so that the provider need not refuse any. Default: no limit. */
  readonly limits?: ProviderLimits | undefined;
  /** The names of the keys, where there are several: the gateway chooses one for each request, as {@link CallContext.keyName}. Default: one key. */
  readonly keys?: ProviderKeys | undefined;
  /**
   * Whether organizations may have keys of their own here: calls need nothing else of the vendor's customer, and every request is sent with
   * {@link CallContext.apiKey} where that is given. `providerConformance` tests it. Default `false`.
   */
  readonly ownKeys?: boolean | undefined;
  /**
   * What the host states about its contract with the provider, such as `zdr` and `eu`: at most 8 words of the host, each a lower-case letter and at
   * most 31 letters, digits, `-` and `_`. Calls with `routing.require` reach only providers with all required policies. Default: none.
   */
  readonly policies?: readonly string[] | undefined;
}

/** The ports for all kinds of calls but questions. Each has a function of the same name, and models of its own. */
export interface KindPorts {
  /** Finds pages. @default the provider has no search models */
  readonly search?: SearchPort | undefined;
  /** Reads pages. @default the provider has no extract models */
  readonly extract?: ExtractPort | undefined;
  /** Sorts documents by their relevance. @default the provider has no rerank models */
  readonly rerank?: RerankPort | undefined;
  /** Makes vectors of texts. @default the provider has no embedding models */
  readonly embed?: EmbedPort | undefined;
}

/** The names of {@link KindPorts}. */
export type PortName = keyof KindPorts;

/** Limits of one gateway's requests to a provider, over all models and callers. Retries count like first attempts. */
export interface ProviderLimits {
  /** At most `requests` (1 to 100,000) begin in any span of `periodMs` (1 to 86,400,000). */
  readonly rateLimit?: { readonly requests: number; readonly periodMs: number } | undefined;
  /** Most requests in flight at once, 1 to 100,000. */
  readonly maxConcurrent?: number | undefined;
  /** Longest wait, in milliseconds, of a call without another model to ask, 0 to 600,000. Default 1,000. */
  readonly maxQueueMs?: number | undefined;
}

/** Several keys of one provider: their names and limits, never the keys themselves. */
export interface ProviderKeys {
  /**
   * Which key is used. `first`: the first of the list that serves and has room. `least-used`: the one with the fewest requests under way, then the one
   * that was used longest ago.
   */
  readonly pick: 'first' | 'least-used';
  /** At least one. */
  readonly list: readonly ProviderKey[];
}

/** A key of a provider. */
export interface ProviderKey extends Pick<ProviderLimits, 'rateLimit' | 'maxConcurrent'> {
  /** Shown to operators: 1 to 32 letters, digits, `.`, `_` and `-`, the first a letter or a digit. Not twice in a list. */
  readonly name: string;
  /** Whether a function gives it, so that a refused key may be replaced at any time. Default `false`. */
  readonly rotates?: boolean | undefined;
}

/** A provider's key, or a function that returns the current key, for keys that rotate. */
export type ApiKeySource = string | (() => string | Promise<string>);

/** One of several keys in the settings of a provider. */
export interface NamedApiKey extends Pick<ProviderLimits, 'rateLimit' | 'maxConcurrent'> {
  /** As `apiKey`. Not twice in a list. */
  readonly key: ApiKeySource;
  /** As {@link ProviderKey.name}. Default: `key-1`, `key-2` and so on, by its place in the list. */
  readonly name?: string | undefined;
}

/** The settings every provider has. */
export interface ProviderSettings extends ProviderLimits, Pick<Provider, 'policies'> {
  /**
   * The account's key at the provider. A function is called once per attempt, within its deadline; when it throws or returns no
   * usable key, the attempt fails with `upstream_auth_failed` and nothing is sent. Exactly one of `apiKey` and `apiKeys` is given.
   */
  readonly apiKey?: ApiKeySource | undefined;
  /** Several keys: a key that the provider refuses is left out, and the next one is used. At least one. */
  readonly apiKeys?: readonly NamedApiKey[] | undefined;
  /** With `apiKeys`, as {@link ProviderKeys.pick}. Default `first`. */
  readonly pick?: ProviderKeys['pick'] | undefined;
  /** The provider's http(s) URL; the provider's own path is appended to its path. Default: the provider's public URL. */
  readonly baseUrl?: string | undefined;
  /** Sent with every request. Cannot replace the headers that authorize or frame a request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The models to offer, by the part of the slug after the slash. Default: all. */
  readonly models?: readonly string[] | undefined;
  /**
   * Models that this package does not know, of the kinds of calls whose requests name the vendor's model. A setting that changes the prices of the
   * provider's own models does not change theirs. Default: none.
   */
  readonly extraModels?: readonly ExtraModel[] | undefined;
}

/** The settings of a service that the host may run itself: its address is known to the host alone, and it may want no key. */
export interface KeylessSettings extends Omit<ProviderSettings, 'apiKey' | 'baseUrl'> {
  /** As {@link ProviderSettings.apiKey}. Default: none is sent. */
  readonly apiKey?: ApiKeySource | undefined;
  /** The http(s) URL of the service; the provider's own path is appended to its path. */
  readonly baseUrl: string;
}

/** These belong to the {@link Provider}. Only a connection not made by `parseProviderSettings` can contain them, and it would lose them. */
type NotOfConnection = { readonly [Field in keyof ProviderLimits | 'policies' | 'keys']?: undefined };

/** The checked settings for requests to a provider. */
export interface Connection extends NotOfConnection {
  /** The key, or the function that returns it; the first of several, and empty for none. */
  readonly apiKey: ApiKeySource;
  /** By name, where there are several. */
  readonly apiKeys?: ReadonlyMap<string, ApiKeySource> | undefined;
  /** Without a final slash. */
  readonly baseUrl: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Translates a question into a call of the provider, and the reply into an {@link AnswerOutcome}. */
export interface AnswerAdapter {
  /**
   * Makes one attempt: never retries, never bills, never sees a caller's key.
   *
   * @throws UpstreamError for every failure of the provider, classified by the provider's own error table. A reply without
   * a usable answer is `upstream_invalid_response`, whatever its status. Any other exception counts as a bug in the adapter.
   */
  answer(call: ProviderQuestion, context: CallContext): Promise<AnswerOutcome>;
  /**
   * Like {@link answer}, but hands the text over while it arrives. For models with the feature `streaming`; other models are asked by {@link answer}.
   *
   * @returns the outcome that {@link answer} would return. The text handed over must be the beginning of its text.
   */
  stream?(call: ProviderQuestion, context: CallContext, live: LiveAnswer): Promise<AnswerOutcome>;
}

/** Answers whole, or as a stream if `live` is given. */
export type Respond = (call: ProviderQuestion, context: CallContext, live?: LiveAnswer) => Promise<AnswerOutcome>;

/** Receives an answer while it arrives. */
export interface LiveAnswer {
  /** All citations known so far, in the order of the outcome. The list only grows. */
  citations(citations: readonly Citation[]): void;
  /**
   * The next part of the text, with the outcome's `[n]` markers. If a provider reports the positions of markers only at the end, no part has
   * markers: the parts are then the beginning of the outcome's text without its markers.
   *
   * @param markers of the part. A marker whose citation has not been handed over may turn out to be plain text. Default: each `[n]` of a
   * citation, unless it is in code or a link, or directly after a letter, a digit or a closing bracket.
   */
  text(part: string, markers?: readonly TextMarker[]): void;
}

/** A question for a provider. */
export interface ProviderQuestion {
  /** The row of the asked model. */
  readonly model: ModelRow;
  /** As the caller wrote it. */
  readonly query: string;
  /**
   * The messages before the query, oldest first: by turns of the user and of the assistant, who is last. Only for models with the feature `multi_turn`. Send
   * each as a message of its own. Left out when there are none.
   */
  readonly earlier?: readonly Message[] | undefined;
  /** Wants the answer as JSON text of this form. Only for models with the feature `json_schema`, and only of {@link AnswerAdapter.answer}. */
  readonly responseFormat?: JsonFormat | undefined;
  /** How to answer, for the vendor's field of its own: a system text. Only for models with the feature `instructions`. */
  readonly instructions?: string | undefined;
  /** The longest answer in tokens, at least 1. Only for models with the feature `max_output_tokens`. An answer that reaches it is `truncated`. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * Filters of the search: only options and values that the model's `options` declare. Send each in its own field of the
   * vendor's API, never in the text of the query. They take precedence over the provider's settings. Left out when the caller asks for no filter.
   */
  readonly search?: AskedSearch | undefined;
}

/** What an adapter gets besides the call. */
export interface CallContext {
  /** Sends requests to the provider: limited in time and size, counted, redacted. Adapters that send no requests ignore it. */
  readonly upstream: UpstreamClient;
  /** Aborts when the attempt's deadline passes. Created on first use, because a signal is costly and most adapters do not need it. */
  readonly signal: AbortSignal;
  /** The name of the key to send, of a provider with {@link Provider.keys}. Default: the only or the first key. */
  readonly keyName?: string | undefined;
  /** The key to send in place of every key of the operator: that of the organization. Only of a provider with {@link Provider.ownKeys}. */
  readonly apiKey?: string | undefined;
  /**
   * Asks a part of the answer, once: one of the models' `parts`. It goes through the routes, limits and pauses of its provider within the time that the
   * attempt has left, with the search options, the vendor keys and the domain rules of the call. Its cost is held with that of the answer, and charged with it,
   * or lost by the operator where the attempt fails. Absent for a model without parts.
   *
   * @returns the results as callers see them. An empty list where a search finds nothing, and where no address is public.
   * @throws UpstreamError the failure of the part. Let it pass: then it counts against the provider of the part alone.
   */
  run?<Kind extends PartKind>(
    kind: Kind,
    model: string,
    fields: PartFields[Kind],
  ): Promise<readonly PartResults[Kind][]>;
}

/** The kinds of calls that an answer can be made of. */
export type PartKind = keyof PartFields;

/** What a part is asked, with the defaults of a caller. */
export interface PartFields {
  /** Finds pages, with the search options of the call. */
  readonly search: Pick<ProviderSearch, 'query' | 'maxContentCharacters'> &
    Partial<Pick<ProviderSearch, 'maxResults' | 'includeContent'>>;
  /** Addresses that are not public are left out. */
  readonly extract: Pick<ProviderExtract, 'urls'> & { readonly maxCharacters?: number | undefined };
  /** Sorts texts. */
  readonly rerank: Pick<ProviderRerank, 'query' | 'documents'> & Partial<Pick<ProviderRerank, 'topN'>>;
}

/** What a part gives. */
export interface PartResults {
  /** A page that was found. */
  readonly search: {
    /** The address of the page. */
    readonly url: string;
    /** Of the page, or its host name. */
    readonly title: string;
    /** A description or the passages that match; may be empty. */
    readonly snippet: string;
    /** The text of the page, where it was asked for and is known. */
    readonly content: string | null;
  };
  /** A page that was read, by the address that was asked for. */
  readonly extract: Pick<PartResults['search'], 'url' | 'title'> & { readonly content: string };
  /** The most relevant document first. */
  readonly rerank: {
    /** Of the document in the request, from 0. */
    readonly index: number;
    /** As the provider says it. */
    readonly relevance_score: number;
  };
}

/** An answer of a provider. */
export interface AnswerOutcome {
  /** The whole text, not empty unless it is {@link truncated}; markers are `[n]`, 1-based into `citations`. */
  readonly text: string;
  /**
   * The markers of the text, in order. Default: each `[n]` of a citation, unless it is in code or a link, or directly after a letter, a digit or a
   * closing bracket.
   */
  readonly markers?: readonly TextMarker[] | undefined;
  /** Every source once, in the order of the markers' numbers. */
  readonly citations: readonly Citation[];
  /** Whether the {@link ProviderQuestion.maxOutputTokens} of the caller ended the text. @default `false` */
  readonly truncated?: boolean | undefined;
  /** What a check of the citations found. Default: nothing was checked. */
  readonly grounding?: Grounding | undefined;
  /** What the provider says of the cost; `{}` for nothing. */
  readonly cost: OutcomeCost;
  /** The provider's own id of the call, for support requests. */
  readonly upstreamRequestId?: string | undefined;
  /** The model that the provider reports, if it reports a model. */
  readonly servedModel?: string | undefined;
}

/** What a check of an answer's sentences against the sources that they cite found. Whole numbers. */
export interface Grounding {
  /** All sentences of the answer. */
  readonly sentences: number;
  /** Sentences with a cited source that has their words. */
  readonly supported: number;
  /** Sentences with citations of which no source has their words. */
  readonly unsupported: number;
  /** Markers that were taken out of the text. */
  readonly removed: number;
}

/** Finds pages for a query. */
export interface SearchPort {
  /** The search models. Each has `maxResults`, and the feature `content` where it can give the text of pages. */
  readonly models: readonly ModelRow[];
  /**
   * Makes one attempt: never retries, never bills. No results are an outcome, not an error.
   *
   * @throws UpstreamError as {@link AnswerAdapter.answer}.
   */
  search(call: ProviderSearch, context: CallContext): Promise<SearchOutcome>;
}

/** A search for a provider. */
export interface ProviderSearch {
  /** The row of the asked model. */
  readonly model: ModelRow;
  /** As the caller wrote it. */
  readonly query: string;
  /** 1 to the model's `maxResults`. */
  readonly maxResults: number;
  /** Whether the text of each page is wanted; `true` only for models with the feature `content`. */
  readonly includeContent: boolean;
  /** The longest text of a page that is wanted, in characters; the gateway cuts longer ones. `undefined` for no limit. */
  readonly maxContentCharacters?: number | undefined;
  /** As in {@link ProviderQuestion.search}. */
  readonly search?: AskedSearch | undefined;
}

interface PortOutcome {
  /** What the provider reports. */
  readonly cost: OutcomeCost;
  /** The provider's own id of the call, for support requests. */
  readonly upstreamRequestId?: string | null | undefined;
}

/** Found pages. */
export interface SearchOutcome extends PortOutcome {
  /** In the vendor's order. The gateway drops addresses other than http(s), repeated addresses, and all beyond `maxResults`. */
  readonly results: readonly SearchResult[];
}

/** A page that was found. A missing field may be absent or `null`. */
export interface SearchResult {
  /** A result without a web address is dropped. */
  readonly url: string | null | undefined;
  /** Default: the host name of the address. */
  readonly title?: string | null | undefined;
  /** A description, or the passages that match the query. */
  readonly snippet?: string | null | undefined;
  /** The text of the page, where it was asked for. Markdown or plain text. */
  readonly content?: string | null | undefined;
  /** The address that the text came from, where the vendor names another one, such as behind a redirect. */
  readonly resolvedUrl?: string | null | undefined;
  /** The day of publication in any form that the vendor has, such as ISO 8601; the gateway makes `YYYY-MM-DD` of it, or `null`. */
  readonly date?: string | null | undefined;
  /** The day of the last change, likewise. */
  readonly lastUpdated?: string | null | undefined;
  /** As the vendor says it. Comparable inside one reply only. */
  readonly score?: number | null | undefined;
}

/** Reads the text of pages. */
export interface ExtractPort {
  /** At least one. */
  readonly models: readonly ModelRow[];
  /**
   * Most addresses of one call. The gateway sends more in parts, at most five at once, inside one attempt. A vendor with one address per request has 1.
   */
  readonly maxUrls: number;
  /**
   * Makes one attempt: never retries, never bills. A page that cannot be read is a {@link FailedPage}; an error is of the whole call.
   *
   * @throws UpstreamError as {@link AnswerAdapter.answer}.
   */
  extract(call: ProviderExtract, context: CallContext): Promise<ExtractOutcome>;
}

/** Pages for a provider to read. */
export interface ProviderExtract {
  /** The row of the asked model. */
  readonly model: ModelRow;
  /** 1 to `maxUrls` http(s) addresses, each once. */
  readonly urls: readonly string[];
  /** How the text of the pages is wanted. */
  readonly format: 'markdown' | 'text';
}

/** Read pages. */
export interface ExtractOutcome extends PortOutcome {
  /** In any order. An address that is missing here has failed. */
  readonly pages: readonly PageOutcome[];
}

/** A page that was asked for. */
export type PageOutcome = ExtractedPage | FailedPage;

/** A page that was read. */
export interface ExtractedPage {
  /** The address as the vendor writes it. The gateway finds the address that was asked for. */
  readonly url: string;
  /** A second address that the vendor gives, such as the one behind a redirect. */
  readonly otherUrl?: string | null | undefined;
  /** Default: the host name of the address. */
  readonly title?: string | null | undefined;
  /** Without words: the page counts as `page_empty`. */
  readonly content: string | null | undefined;
  /** Whether the vendor read a part of the page, where it says so. Default `false`. */
  readonly truncated?: boolean | undefined;
  /** As {@link SearchResult.date}. */
  readonly date?: string | null | undefined;
}

/** A page that was not read. */
export interface FailedPage {
  /** As {@link ExtractedPage.url}. */
  readonly url: string;
  /** As {@link ExtractedPage.otherUrl}. */
  readonly otherUrl?: string | null | undefined;
  /** Why it was not read. */
  readonly failed: PageFailure;
}

/** Why a page was not read. */
export const PAGE_FAILURES = [
  'page_not_found',
  'page_forbidden',
  'page_timeout',
  'page_unsupported',
  'page_empty',
  'page_failed',
] as const;
/** The stable name of a page's failure. */
export type PageFailure = (typeof PAGE_FAILURES)[number];

/** Sorts documents by their relevance to a query. */
export interface RerankPort {
  /** At least one. */
  readonly models: readonly ModelRow[];
  /**
   * Makes one attempt: never retries, never bills.
   *
   * @throws UpstreamError as {@link AnswerAdapter.answer}. Texts that are too long for the model are `query_rejected`.
   */
  rerank(call: ProviderRerank, context: CallContext): Promise<RerankOutcome>;
}

/** Documents for a provider to sort. */
export interface ProviderRerank {
  /** The row of the asked model. */
  readonly model: ModelRow;
  /** As the caller wrote it. */
  readonly query: string;
  /** 1 to the model's `maxDocuments`. */
  readonly documents: readonly string[];
  /** How many of them are wanted, 1 to all. */
  readonly topN: number;
}

/** Sorted documents. */
export interface RerankOutcome extends PortOutcome {
  /** In any order: the gateway sorts. A wrong or repeated index, a score that is no number, or fewer than `topN` ranks make the outcome unusable. */
  readonly ranks: readonly Rank[];
  /** With `usage.searchUnits` or `usage.inputTokens`, as the provider counts. */
  readonly cost: OutcomeCost;
}

/** How relevant a document is. */
export interface Rank {
  /** Of the document, from 0. */
  readonly index: number;
  /** The higher, the more relevant; comparable inside one outcome only. */
  readonly score: number;
}

/** Makes vectors of texts. */
export interface EmbedPort {
  /** At least one. */
  readonly models: readonly ModelRow[];
  /**
   * Most texts of one call. The gateway sends more in parts, at most five at once, inside one attempt. So it does with more than the model's
   * `maxRequestTokens`, and, in halves, after an UpstreamError with `mayFitInParts`.
   */
  readonly maxInputs: number;
  /** Makes one attempt, as {@link RerankPort.rerank}. */
  embed(call: ProviderEmbed, context: CallContext): Promise<EmbedOutcome>;
}

/** Texts for a provider to make vectors of. */
export interface ProviderEmbed {
  /** The row of the asked model. */
  readonly model: ModelRow;
  /** 1 to `maxInputs` texts, none empty. */
  readonly inputs: readonly string[];
  /** The role of the texts; `undefined` for none, and for models without the feature `input_type`. */
  readonly inputType: 'query' | 'document' | undefined;
  /** The length of the vectors; `undefined` for the model's own, and for models without the feature `dimensions_param`. */
  readonly dimensions: number | undefined;
}

/** Vectors of texts. */
export interface EmbedOutcome extends PortOutcome {
  /**
   * One for each text, in any order. A wrong or repeated index, or a vector that is not as long as asked for, or as the model's `dimensions`, makes the
   * outcome unusable.
   */
  readonly embeddings: readonly Embedding[];
  /** With `usage.inputTokens`, as the provider counts. Default: an estimate is charged. */
  readonly cost: OutcomeCost;
}

/** The vector of a text. */
export interface Embedding {
  /** Of the text, from 0. */
  readonly index: number;
  /**
   * Numbers, or base64 of little-endian floats of 32 bits. Ask for base64 wherever the vendor has it: it is a quarter of the size, and is read without
   * delay for other calls.
   */
  readonly vector: string | readonly number[];
}
